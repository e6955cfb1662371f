import type { Session } from '@parley/protocol'
import type { Work } from '../store/work.ts'
import type { McpServersConfig } from '../tools/mcp/config.ts'
import type { AgentPolicy, AgentSettings } from './agent-settings.ts'

/** An agent as its folder described it at one moment. What a version says never changes. What it leaves out, the configuration says. */
export type AgentVersion = {
  /** The folder's name. */
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
  /** `agent.yaml`. */
  settings: AgentSettings
  /** `policy.yaml`. */
  policy: AgentPolicy | null
  /** `mcp.json`, in the form of the option `mcpServers`. */
  mcpServers: McpServersConfig
  /** `tools/*.{ts,js,mjs}` in the copy, absolute. */
  toolFiles: readonly string[]
  /** `skills/` in the copy, absolute. */
  skills: string | null
}

/** Of which agent a session is, as its row says. Both are `null` where the configuration itself answers. */
export type SessionAgent = { agent: string | null; agent_digest: string | null }

/** The same of a session as clients know it. */
export function agentOf({ agent }: Pick<Session, 'agent'>): SessionAgent {
  return { agent: agent?.name ?? null, agent_digest: agent?.version ?? null }
}

export type Agents = {
  /**
   * The version that a session began with; `null`: the configuration itself. One that this instance lacks is fetched from
   * the database. Throws `agent_not_available` when it is nowhere, or is not what was stored.
   */
  of: (session: SessionAgent) => Promise<AgentVersion | null>
  /** The same, and its copy on this machine is what was stored. For a run. */
  ready: (session: SessionAgent) => Promise<AgentVersion | null>
  /**
   * What a session that begins now gets: the current version of the agent it names, or of `default`. Throws
   * `agent_not_available`, also for an agent that visitors may not choose.
   */
  choose: (wanted: { name: string | null; isVisitor: boolean }) => Promise<SessionAgent>
  /** Whether that is still what it would get, until the end of the transaction that makes the session. */
  isStillChosen: (chosen: SessionAgent) => Work<boolean>
}
