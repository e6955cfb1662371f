import type { Mode, Session } from '@parley/protocol'
import type { Work } from '../store/work.ts'
import type { McpServersConfig } from '../tools/mcp/config.ts'
import type { AgentPolicy, AgentSettings } from './agent-settings.ts'
import type { DescribedSolution } from './solution-settings.ts'

/**
 * An agent, or a solution in one of its roles, as its folder described it at one moment. What a version says never changes.
 * What it leaves out, the configuration says.
 */
export type AgentVersion = {
  /** The folder's name; of a solution `solution/<id>`. */
  name: string
  /** SHA-256 over the name and all paths and bytes, hex. */
  digest: string
  /** A copy of the folder that nobody changes: `<dataDir>/agent-versions/<digest>`. */
  directory: string
  /** All files of it, by their paths in the copy. */
  files: readonly string[]
  /** Where its programs are started and may write: `<dataDir>/agent-versions/work-<digest>`. */
  work: string
  /** The folder it was read from, if that is on this machine. */
  origin: string | null
  /** `instructions.md`: what the agent is told first, in place of `systemPrompt`. */
  instructions: string | null
  /** `agent.yaml`, or what a solution and its role say alike. */
  settings: AgentSettings
  /** Where they stand. */
  settingsFile: string
  /** `policy.yaml`. */
  policy: AgentPolicy | null
  /** `mcp.json` and what its skills bring, in the form of the option `mcpServers`. */
  mcpServers: McpServersConfig
  /** Which of them a skill has brought, by its id. */
  skillServers: Readonly<Record<string, readonly string[]>>
  /** `tools/*.{ts,js,mjs}` in the copy, absolute. */
  toolFiles: readonly string[]
  /** `skills/` in the copy, absolute. */
  skills: string | null
  /** `solution.yaml` and what its roles say; `null`: an agent's. */
  solution: DescribedSolution | null
  /** The role that this is of; `null`: of none. */
  role: string | null
  /** Ids of the skills of its folder that it has; `null`: all. */
  localSkills: readonly string[] | null
  /** Ids of the configured skills that it has; `null`: those that its settings grant. */
  importedSkills: readonly string[] | null
}

/** Of which agent a session is, as its row says, and in which role. All are `null` where the configuration itself answers. */
export type SessionAgent = { agent: string | null; agent_digest: string | null; biz_role_id: string | null }

/** The same of a session as clients know it. */
export function agentOf({ agent, biz_role_id }: Pick<Session, 'agent' | 'biz_role_id'>): SessionAgent {
  return { agent: agent?.name ?? null, agent_digest: agent?.version ?? null, biz_role_id }
}

/** What a session that begins asks for. */
export type WantedAgent = {
  agent: string | null
  solution_id: string | null
  biz_role_id: string | null
  isVisitor: boolean
}

/** What it gets: columns of its row. */
export type ChosenAgent = SessionAgent & { mode: Mode }

export type Agents = {
  /**
   * The version that a session began with; `null`: the configuration itself. One that this instance lacks is fetched from
   * the database. Throws `agent_not_available` when it is nowhere, or is not what was stored.
   */
  of: (session: SessionAgent) => Promise<AgentVersion | null>
  /** The same, and its copy on this machine is what was stored. For a run. */
  ready: (session: SessionAgent) => Promise<AgentVersion | null>
  /**
   * What a session that begins now gets: the current version of the agent or the solution it names, or of `default`. Throws
   * `agent_not_available`, also for an agent that visitors may not choose, and `invalid_payload` for no such solution or role.
   */
  choose: (wanted: WantedAgent) => Promise<ChosenAgent>
  /** Whether that is still what it would get, until the end of the transaction that makes the session. */
  isStillChosen: (chosen: Omit<SessionAgent, 'biz_role_id'>) => Work<boolean>
}
