import { AgentError } from '@parley/protocol'
import type { Agent, AgentDetail } from '@parley/protocol/rest'
import { agentDetailSchema, agentSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { mayDo } from '../auth/principal.ts'
import { readBody } from '../http/ignored-fields.ts'
import { callerOf, needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { solutionIdOf } from './folder/folder-kind.ts'
import { listAgents, listForVisitors } from './list-agents.ts'
import { DEFAULT_AGENT, type OpenAgents } from './open-agents.ts'
import { findFiles, useVersion } from './version-rows.ts'

export type AgentRoutesOptions = {
  engine: Engine
  agents: OpenAgents
  isOwner: (user_id: string) => Promise<boolean>
  /** What the configuration tells the agent `default`. */
  systemPrompt: string | null
}

const ALL = '/api/agents'
const ONE = `${ALL}/:name`

const USE = ':use'

const nothing = z.strictObject({})
/** Visitors get the two names alone. */
const listSchema = z.object({ items: z.array(agentSchema.partial({ description: true })) })

/** [W12.13] Agents and their versions. */
export function agentRoutes(app: FastifyInstance, options: AgentRoutesOptions): void {
  const { engine, agents, isOwner, systemPrompt } = options

  const listing = needs('chat', { says: ['Agents that a session may name', '列出可用的智能体'], answer: listSchema })
  app.get(ALL, listing, async (request) => {
    if (!mayDo(principalOf(request), 'account')) return { items: await listForVisitors(options) }
    const items = await listAgents(options, await isOwner(callerOf(request).user_id))
    // Solutions have a list of their own.
    return { items: items.filter(({ name }) => solutionIdOf(name) === null) }
  })

  const reading = needs('account', {
    says: ['One agent, with its instructions and versions', '查看智能体的指令与版本'],
    answer: agentDetailSchema,
  })
  app.get<{ Params: { name: string } }>(ONE, reading, async (request): Promise<AgentDetail> => {
    const { name } = request.params
    const agent = await demandAgent(options, name, await isOwner(callerOf(request).user_id))
    if (!agent.version) return { ...agent, instructions: name === DEFAULT_AGENT ? systemPrompt : null, files: [] }
    const { instructions } = await agents.versions.find(name, agent.version)
    const files = await agents.versions.files(name, agent.version)
    return { ...agent, instructions, files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length })) }
  })

  const choosing = needs('account', {
    says: ['`{version}:use` gives new sessions that version', '路径以 {version}:use 结尾：新会话改用该版本'],
    body: nothing,
    answer: agentSchema,
  })
  // The last part is `<version>:use`; whatever else it may be is answered here, by name.
  app.post<{ Params: { name: string; use: string } }>(
    `${ONE}/versions/:use`,
    choosing,
    async (request): Promise<Agent> => {
      const { name, use } = request.params
      if (!use.endsWith(USE)) throw new AgentError('not_found', 'Not Found')
      readBody(request, nothing)
      const { user_id } = callerOf(request)
      if (!(await isOwner(user_id))) throw new AgentError('forbidden', 'Only the owner chooses the versions of agents.')
      const version = use.slice(0, -USE.length)
      if ((await engine.read(() => findFiles(name, version))) === undefined) throw noSuchVersion(name, version)
      // One that cannot be had must not become what every new session gets.
      await agents.versions.find(name, version)
      if (!(await engine.write(() => useVersion(name, version, user_id)))) throw noSuchVersion(name, version)
      return demandAgent(options, name, true)
    },
  )
}

async function demandAgent(options: AgentRoutesOptions, name: string, isOwner: boolean): Promise<Agent> {
  const found = (await listAgents(options, isOwner)).find((agent) => agent.name === name)
  if (!found) throw new AgentError('not_found', `There is no agent ${name}; GET ${ALL} lists those that are.`)
  return found
}

function noSuchVersion(name: string, version: string): AgentError {
  return new AgentError(
    'not_found',
    `There is no version ${version} of the agent ${name}; GET ${ALL}/${name} lists those that are.`,
  )
}
