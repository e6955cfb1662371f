import { AgentError } from '@parley/protocol'
import type { Tool, ToolDetail, ToolKind, ToolList } from '@parley/protocol/rest'
import { toolDetailSchema, toolListSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type PolicyRule, standingOf } from '../confirm/policy.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { readerOf } from '../http/reader.ts'
import type { Clock } from '../ports.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Engine } from '../store/engine.ts'
import type { ToolCatalog } from './catalog.ts'
import type { ToolEntry } from './listed-tool.ts'
import { lastCalls, usedToday } from './tool-calls.ts'

export type ToolRoutesOptions = {
  catalog: Pick<ToolCatalog, 'listed'>
  sandbox: Pick<Sandbox, 'level' | 'reason' | 'limits'>
  rules: readonly PolicyRule[]
  engine: Engine
  clock: Pick<Clock, 'now'>
}

/** What agents can do on this server, and what the policy says to it. */
export function toolRoutes(app: FastifyInstance, { catalog, sandbox, rules, engine, clock }: ToolRoutesOptions): void {
  const { level, reason, limits } = sandbox
  const toolsFor = async (request: FastifyRequest): Promise<Tool[]> => {
    const [entries, used] = await Promise.all([
      catalog.listed(readerOf(request).language),
      usedToday(engine, principalOf(request).user_id, clock.now()),
    ])
    return entries.map((entry) => withPolicy(entry, rules, used.get(plainName(entry)) ?? 0))
  }

  const listing = needs('account', {
    says: [
      'All tools, what the policy says to them, and what confines their commands',
      '列出全部工具、策略结果及命令沙箱',
    ],
    answer: toolListSchema,
  })
  app.get('/api/tools', listing, async (request): Promise<ToolList> => {
    const items = await toolsFor(request)
    return { items, total: items.length, sandbox: { level, reason, limits } }
  })

  const reading = needs('account', {
    says: ['One tool, with your last twenty calls of it', '查看工具及你最近的二十次调用'],
    answer: toolDetailSchema,
  })
  app.get<{ Params: { name: string } }>('/api/tools/:name', reading, async (request): Promise<ToolDetail> => {
    const { name } = request.params
    const tool = (await toolsFor(request)).find((one) => one.name === name)
    if (!tool) throw new AgentError('not_found', `There is no tool ${name}.`)
    return { ...tool, calls: await lastCalls(engine, principalOf(request).user_id, plainName(tool)) }
  })
}

function withPolicy(entry: ToolEntry, rules: readonly PolicyRule[], used: number): Tool {
  const { risk, requires_confirmation: requiresConfirmation = false, chooses_host = false } = entry
  const standing = standingOf({ name: plainName(entry), risk, requiresConfirmation }, rules)
  const policy = { ...standing, asks_for_hosts: chooses_host && standing.by !== 'rule' }
  return { ...entry, kind: kindOf(entry.provider), policy, used_today: entry.is_internal ? null : used }
}

/** Of an agent's server it is listed with a mark that models and rules do not see. */
function plainName({ name, provider }: Pick<ToolEntry, 'name' | 'provider'>): string {
  return provider === 'mcp' ? name.replace(/@[0-9a-f]+$/, '') : name
}

function kindOf(provider: string): ToolKind {
  if (provider === 'mcp' || provider === 'skill' || provider === 'http') return provider
  return provider === 'own' || provider === 'langchain' ? 'own' : 'built_in'
}
