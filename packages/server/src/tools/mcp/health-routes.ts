import { AgentError } from '@parley/protocol'
import type { McpServerHealth, McpTest, Page } from '@parley/protocol/rest'
import { mcpServerSchema, mcpTestSchema, pageSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mayDo } from '../../auth/principal.ts'
import { readBody } from '../../http/ignored-fields.ts'
import { readerOf } from '../../http/reader.ts'
import { principalOf, needs } from '../../http/signed-in.ts'
import type { Clock } from '../../ports.ts'
import { recordAudit } from '../../store/audit.ts'
import type { Engine } from '../../store/engine.ts'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import type { AgentServerStanding } from './agent-servers.ts'
import type { LookedAfter } from './mcp-servers.ts'
import { serverMask } from './server-mask.ts'

/** A server as it stands; of an agent's, `agent` says whose. */
export type Standing = Omit<AgentServerStanding, 'agent'> & { agent: string | null }

export type HealthRoutesOptions = {
  engine: Engine
  clock: Pick<Clock, 'elapsed'>
  standings: () => Promise<Standing[]>
  find: (id: string) => Promise<LookedAfter | undefined>
  /** What must be seen nowhere, beside what the servers themselves are configured with. */
  secrets: readonly string[]
}

type One = { Params: { name: string } }

const nothing = z.strictObject({})

/** How foreign servers are, for everybody who has their tools; the owner looks after them. */
export function healthRoutes(app: FastifyInstance, options: HealthRoutesOptions): void {
  const { engine, clock, standings, find, secrets } = options
  const shown = async (request: FastifyRequest, standing: Standing) =>
    healthOf(standing, {
      language: readerOf(request).language,
      mask: mayDo(principalOf(request), 'owner') ? await serverMask(standing.config, secrets) : undefined,
    })
  const demand = async (request: FastifyRequest<One>, action: 'test' | 'restart') => {
    readBody(request, nothing)
    const { name } = request.params
    const server = await find(name)
    if (!server) throw new AgentError('not_found', `There is no MCP server ${name}.`)
    const { user_id: actor } = principalOf(request)
    await engine.write(() => recordAudit({ actor, action: `mcp_server.${action}`, subject: name }))
    return server
  }
  const now = async (request: FastifyRequest<One>) => {
    const standing = (await standings()).find(({ id }) => id === request.params.name)
    if (!standing) throw new AgentError('not_found', `There is no MCP server ${request.params.name}.`)
    return shown(request, standing)
  }

  const listing = needs('account', {
    says: ['MCP servers, how they are, and why', '列出 MCP 服务器及其状态'],
    answer: pageSchema(mcpServerSchema),
  })
  app.get('/api/mcp-servers', listing, async (request): Promise<Page<McpServerHealth>> => {
    const items = await Promise.all((await standings()).map((standing) => shown(request, standing)))
    return { items, total: items.length }
  })

  const testing = needs('owner', {
    says: ['Asks an MCP server whether it answers now', '测试 MCP 服务器'],
    body: nothing,
    answer: mcpTestSchema,
  })
  app.post<One>('/api/mcp-servers/:name/test', testing, async (request): Promise<McpTest> => {
    const server = await demand(request, 'test')
    const since = clock.elapsed()
    const ok = await server.test()
    return { ok, ms: Math.round(clock.elapsed() - since), server: await now(request) }
  })

  const restarting = needs('owner', {
    says: ['Ends an MCP server and starts it again; calls under way fail', '重启 MCP 服务器；进行中的调用会失败'],
    body: nothing,
    answer: mcpServerSchema,
  })
  app.post<One>('/api/mcp-servers/:name/restart', restarting, async (request) => {
    const server = await demand(request, 'restart')
    await server.restart()
    return now(request)
  })
}

type Told = {
  language: Language
  /** For the owner, who alone is told what programs said. */
  mask: ((text: string) => string) | undefined
}

function healthOf(standing: Standing, { language, mask }: Told): McpServerHealth {
  const { id, name, agent, config, tools, blocked, answeredAt, failure, retries, nextTryAt } = standing
  const command = config.type === 'stdio' ? config.command : new URL(config.url).host
  return {
    name: id,
    server: name,
    agent,
    transport: config.type,
    state: standing.state === 'ready' && blocked > 0 ? 'blocked' : standing.state,
    tools,
    blocked_tools: blocked,
    last_success_at: timeOf(answeredAt),
    failure: failure && {
      code: failure.code,
      reason: say(`mcp.${failure.code}`, language, { command }),
      at: timeOf(failure.at)!,
      ...(mask && { said: failure.said.map(mask) }),
    },
    retries,
    next_try_at: timeOf(nextTryAt),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
