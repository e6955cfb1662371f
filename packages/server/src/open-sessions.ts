import { AgentError, type Mode } from '@parley/protocol'
import { agentOf } from './agents/agent-version.ts'
import type { Seal } from './auth/seal.ts'
import { checkEdit } from './confirm/check-edit.ts'
import { LOOP_TOOLS } from './core/offer.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import type { KnownModels } from './models/registry.ts'
import type { PointHook } from './runs/points.ts'
import type { Runs } from './runs/runs.ts'
import type { ToolsOfSessions } from './session-tools.ts'
import { toSolution } from './solutions/solution-record.ts'
import type { Sessions } from './sessions/service.ts'
import { createSessions } from './sessions/create-sessions.ts'
import type { AcceptOptions } from './runs/accept/request.ts'
import type { Meter } from './context/compaction/meter.ts'

/** How long an attachment waits for the state of the workspace before it. */
const ATTACHMENT_MS = 1_000

export type OpenSessionsOptions = {
  world: World
  models: KnownModels
  features: Pick<Features, 'own' | 'tables' | 'dropSession' | 'recall' | 'hasMemory'> &
    Partial<Pick<Features, 'snapshots' | 'beginSkill'>>
  tools: ToolsOfSessions
  runs: Runs
  seal: Seal
  accepting: AcceptOptions
  meter: Meter
  at?: PointHook | undefined
}

/** What every face calls. */
export function openSessions(options: OpenSessionsOptions): Sessions {
  const { world, models, features, tools, runs, seal, accepting, meter, at } = options
  const { config, journal, workspaces } = world
  const sessions = createSessions({
    ...accepting,
    ...{ journal, runs, meter },
    language: config.language,
    open: (sealed) => seal.open(sealed),
    checkEdit: async (session, tool_name, edited) =>
      checkEdit((await tools.toLookAt(session, 'executing')).tools, tool_name, edited),
    defaultModel: () => models.default,
    modelOfAgent: async (session) => (await world.agents.of(session))?.settings.model,
    hasModel: models.offers,
    agents: world.agents,
    async findSkill(id, { session_id, ...session }) {
      if (!features.beginSkill) throw new AgentError('invalid_payload', 'primary_skill_id: There are no skills here.')
      return features.beginSkill(id, { session_id, agent: await world.agents.of(session) })
    },
    async solutionOf(session) {
      if (session.solution_id === null) return null
      const version = await world.agents.of(agentOf(session)).catch(() => null)
      return version && toSolution(version)
    },
    hasMemory: features.hasMemory,
    mayHaveModel: async (id) => (models.has(id) ? models.offers(id) : models.find(id) !== undefined),
    async storeFile(session_id, name, bytes) {
      // It only adds a file: better that an earlier state has it than that an acknowledgement waits for long.
      await features.snapshots?.beforeWrite(session_id, AbortSignal.timeout(ATTACHMENT_MS))
      return workspaces.storeFile(session_id, name, bytes)
    },
    states: features.snapshots,
    tables: features.tables,
    recall: features.recall,
    dropSession: features.dropSession,
    async preamble(session) {
      const { system, tools: bound, hasLoopTool } = await tools.toLookAt(session, session.mode as Mode)
      const own = bound.list().map(({ name, description, input }) => ({ name, description, input }))
      return { system, tools: [...own, ...LOOP_TOOLS.filter(({ name }) => hasLoopTool(name))] }
    },
    ...(at && { at }),
  })
  return {
    ...sessions,
    async create(principal, body, origin) {
      const session = await sessions.create(principal, body, origin)
      // Whatever fails there is met, and said, by the first run.
      void tools.warm({ id: session.id, ...agentOf(session) }).catch(() => undefined)
      return session
    },
  }
}
