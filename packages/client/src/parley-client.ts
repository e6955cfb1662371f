import type { AccountChanged } from '@parley/protocol/rest'
import { type AgentsApi, createAgentsApi } from './api/agents-api.ts'
import { type ApiKeysApi, createApiKeysApi } from './api/api-keys-api.ts'
import { type AuthApi, createAuthApi } from './api/auth-api.ts'
import type { ClientSocket } from './connection/client-socket.ts'
import { FollowedSessions } from './session/followed-sessions.ts'
import { createHeadlessApi, type HeadlessApi } from './api/headless.ts'
import { createInboxApi, type InboxApi } from './api/inbox-api.ts'
import { createKnowledgeApi, type KnowledgeApi } from './api/knowledge-api.ts'
import { createLedgerApi, type LedgerApi } from './api/ledger-api.ts'
import { type Ports, systemPorts } from './ports.ts'
import { createMcpServersApi, type McpServersApi } from './api/mcp-servers-api.ts'
import { createMemoriesApi, type MemoriesApi } from './api/memories-api.ts'
import { type ParleyClientOptions, resolveOptions } from './resolve-options.ts'
import { createPolicyApi, type PolicyApi } from './api/policy-api.ts'
import { createRest, type Rest } from './rest/rest.ts'
import { createScheduledTasksApi, type ScheduledTasksApi } from './api/scheduled-tasks-api.ts'
import { createSessionsApi, type SessionsApi } from './api/sessions-api.ts'
import { createModelsApi, createServerApi, type ModelsApi, type ServerApi } from './api/server-api.ts'
import { createSkillsApi, type SkillsApi } from './api/skills-api.ts'
import { createToolsApi, type ToolsApi } from './api/tools-api.ts'

/** [W14.1] Everything a program needs of one server: REST by topic, headless runs, live sessions, and the socket. */
export class ParleyClient {
  readonly sessions: SessionsApi
  readonly skills: SkillsApi
  readonly agents: AgentsApi
  readonly memories: MemoriesApi
  readonly knowledge: KnowledgeApi
  readonly scheduledTasks: ScheduledTasksApi
  readonly apiKeys: ApiKeysApi
  readonly inbox: InboxApi
  readonly policy: PolicyApi
  readonly ledger: LedgerApi
  readonly headless: HeadlessApi
  readonly models: ModelsApi
  readonly tools: ToolsApi
  readonly mcpServers: McpServersApi
  readonly server: ServerApi
  readonly auth: AuthApi
  /** Authorised REST for everything that has no method of its own. */
  readonly api: Rest
  readonly #origin: string
  readonly #followed: FollowedSessions

  /** `ports` is for whoever drives the clock. */
  constructor(options: ParleyClientOptions, ports: Ports = systemPorts) {
    const resolved = resolveOptions(options, ports)
    const rest = createRest(resolved)
    this.#origin = resolved.origin
    this.#followed = new FollowedSessions(resolved, rest)
    this.api = rest
    this.sessions = createSessionsApi(rest, this.#followed)
    this.skills = createSkillsApi(rest)
    this.agents = createAgentsApi(rest)
    this.memories = createMemoriesApi(rest)
    this.knowledge = createKnowledgeApi(rest)
    this.scheduledTasks = createScheduledTasksApi(rest)
    this.apiKeys = createApiKeysApi(rest)
    this.inbox = createInboxApi(rest)
    this.policy = createPolicyApi(rest)
    this.ledger = createLedgerApi(rest)
    this.headless = createHeadlessApi(this.sessions, ports)
    this.models = createModelsApi(rest)
    this.tools = createToolsApi(rest)
    this.mcpServers = createMcpServersApi(rest)
    this.server = createServerApi(rest)
    this.auth = createAuthApi(rest)
  }

  /** [W14.2] The one socket of this client, the same object every time. Not connected until asked to, or first used. */
  socket(): ClientSocket {
    return this.#followed.connection.socket
  }

  /**
   * Calls back when something of this user's has changed, and after every reconnection, when nobody knows what was missed.
   * A hint that carries no truth: read again what is shown. Keeps the connection open until the returned function is called.
   */
  onAccountChanged(listener: (changed: AccountChanged) => void): () => void {
    const { connection } = this.#followed
    const { socket } = connection
    const missed = () => listener({ sessions: null, inbox: true })
    socket.on('account:changed', listener)
    socket.on('connect', missed)
    const release = connection.hold()
    return () => {
      socket.off('account:changed', listener)
      socket.off('connect', missed)
      release()
    }
  }

  /** A URL for `<img>` and `<a>`. It carries no credential: the browser sends the login cookie along. */
  buildAuthedUrl(path: string): string {
    return `${this.#origin}${path.startsWith('/') ? '' : '/'}${path}`
  }
}
