import { AgentError } from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { callerOf, needs } from '../http/signed-in.ts'
import { readBody } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Language } from '../words/language.ts'
import type { ToolDefinition } from './define-tool.ts'
import type { McpServers } from './mcp/mcp-servers.ts'
import type { Skills } from '../skills/skills.ts'

export type ToolRoutesOptions = {
  /** Those that every session has, foreign ones not among them. */
  tools: readonly ListedTool[]
  skills: Pick<Skills, 'configuredTools'>
  mcp: McpServers
  sandbox: Pick<Sandbox, 'level' | 'reason' | 'limits'>
  isOwner: (user_id: string) => Promise<boolean>
}

/** A tool as far as people are told of it. */
export type ListedTool = Omit<ToolDefinition, 'check' | 'run' | 'effect' | 'planning'>

const approvalSchema = z.strictObject({ digest: z.string().min(1) })

/** What agents can do on this server, and the owner's word about foreign tools that have changed. */
export function toolRoutes(app: FastifyInstance, { tools, skills, mcp, sandbox, isOwner }: ToolRoutesOptions): void {
  const { level, reason, limits } = sandbox
  app.get('/api/tools', needs('account'), async (request) => {
    const { language } = readerOf(request)
    const shared = [...tools, ...(await skills.configuredTools())].map((tool) => listed(tool, language))
    const items = [...shared, ...(await mcp.listed())]
    return { items, total: items.length, sandbox: { level, reason, limits } }
  })

  app.post<{ Params: { name: string } }>('/api/tools/:name/approve', needs('account'), async (request) => {
    const { user_id } = callerOf(request)
    if (!(await isOwner(user_id))) throw new AgentError('forbidden', 'Only the owner may approve tools.')
    return mcp.approve(request.params.name, readBody(request, approvalSchema).digest, user_id)
  })
}

function listed(tool: ListedTool, language: Language) {
  const { name, description, provider, risk, requiresConfirmation, readOnly, replay, input } = tool
  return {
    name,
    display_name: tool.display_name[language],
    description,
    provider,
    risk,
    requires_confirmation: requiresConfirmation,
    read_only: readOnly,
    replay,
    status: 'ready',
    input,
  }
}
