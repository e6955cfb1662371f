import { AgentError } from '@parley/protocol'
import type { Clock, JsonObject, JsonValue, ToolOutput } from '../../ports.ts'
import { Tether } from '../../sandbox/tether.ts'
import type { Engine } from '../../store/engine.ts'
import type { ToolContext, ToolDefinition } from '../define-tool.ts'
import { safeToolName } from '../safe-tool-name.ts'
import { callTool } from './call-tool.ts'
import { enabledServers, type McpServerConfig, type McpServersConfig } from './config.ts'
import { KnownVersions } from './known-versions.ts'
import { inheritedVariables } from './inherited-variables.ts'
import { McpServer, type ServerStanding } from './mcp-server.ts'
import {
  isBlocked,
  type ListedMcpTool,
  listedTool,
  type OfferedTool,
  offeredTool,
  toolDefinition,
} from './offered-tool.ts'

export type McpServersOptions = {
  servers: McpServersConfig
  /** Keeps what was agreed to apart from tools of the same name that others have: of an agent's server. Default none. */
  scope?: string
  engine: Engine
  clock: Clock
  /** Where the variables of `inherited-variables.ts` are taken from; programs that are started get nothing else of it. */
  environment: Readonly<Record<string, string | undefined>>
  /** Programs are killed when this process has died, or has stood still for so long. */
  leaseMs: number
  /** Connects to servers behind a URL. Default: the global one. */
  fetchFor?: (endpoint: string) => typeof fetch
  /** Told to servers, with our name. */
  version: string
  /** Before a program is started, every time. Default nothing. */
  beforeStart?: () => Promise<void>
  onWarning: (message: string) => void
  /** A server is down; it is tried again after so many milliseconds. */
  onDown: (server: string, reason: string, ms: number) => void
  /** A call did not get its answer, for a reason that lies with the server or the way to it. */
  onCallFailed: (server: string, said: string) => void
  /** How a server comes up: what it says meanwhile, and how many tools it has. */
  onInfo: (message: string) => void
  /** Wait before a dead server is started again: doubles from `min` to `max`. Default 1 s to 60 s. */
  backOffMs?: { min: number; max: number }
}

/** A server, how it stands, and how many of its tools wait for the owner. */
export type ServerStandingOf = ServerStanding & {
  name: string
  config: McpServerConfig
  /** `null` while it has never listed any. */
  tools: number | null
  blocked: number
}

/** What an owner can do with a server. */
export type LookedAfter = Pick<McpServer, 'restart' | 'test'>

/** How long a call that was made before a restart waits for its server. */
const ARRIVAL_MS = 10_000
const PREFIX = 'mcp__'

/**
 * The tools of all configured MCP servers, as they are right now. Connecting happens in the background, so that nobody's
 * start waits for a foreign program; a dead server costs its own tools only.
 */
export class McpServers implements AsyncDisposable {
  readonly #clock: Clock
  readonly #versions: KnownVersions
  readonly #servers: readonly McpServer[]
  readonly #tether: Tether
  readonly #loaded: Promise<void>
  readonly #onWarning: (message: string) => void
  readonly #onCallFailed: McpServersOptions['onCallFailed']
  readonly #scope: string | undefined
  readonly #stop = new AbortController()
  #isLoaded = false
  #offered = new Map<string, OfferedTool>()

  constructor({ servers, scope, engine, environment, leaseMs, onWarning, ...options }: McpServersOptions) {
    this.#tether = new Tether(leaseMs)
    this.#scope = scope
    this.#clock = options.clock
    this.#versions = new KnownVersions({ engine, clock: options.clock, onWarning })
    this.#onWarning = onWarning
    this.#onCallFailed = options.onCallFailed
    const inherited = inheritedVariables(environment)
    const enabled = enabledServers(servers)
    this.#loaded = enabled.length === 0 ? Promise.resolve() : this.#load()
    this.#servers = enabled.map(
      ([name, config]) =>
        new McpServer({
          ...options,
          name,
          config,
          environment: inherited,
          tether: this.#tether,
          backOffMs: options.backOffMs ?? { min: 1000, max: 60_000 },
          onTools: () => this.#collect(),
          onWarning,
        }),
    )
  }

  /** Every server, and how many tools it has; `undefined` while it is not connected. */
  get counts(): { name: string; tools: number | undefined }[] {
    return this.#servers.map(({ name, isReady, tools }) => ({ name, tools: isReady ? tools.length : undefined }))
  }

  /** Every server, and how it stands. */
  async standings(): Promise<ServerStandingOf[]> {
    await this.#versions.read().catch(() => undefined)
    return this.#servers.map((server) => this.#standingOf(server))
  }

  /** `undefined`: there is no such server. */
  find(name: string): LookedAfter | undefined {
    return this.#servers.find((server) => server.name === name)
  }

  /** The names under which models know their tools, also of those that are blocked. */
  get offeredNames(): string[] {
    return [...this.#offered.keys()]
  }

  /** All of them are connected. */
  get isComplete(): boolean {
    return this.#servers.every(({ isReady }) => isReady)
  }

  /** Settles when every server was reached or failed to be, once. */
  async allTried(): Promise<void> {
    await Promise.all([this.#loaded, ...this.#servers.map(({ firstAttempt }) => firstAttempt)])
    this.#collect()
  }

  /** Settles when these tools are there, or every server was tried once; after ten seconds at the latest. */
  async arrived(names: readonly string[]): Promise<void> {
    const here = new Set(this.tools().map(({ name }) => name))
    if (names.every((name) => here.has(name) || !name.startsWith(PREFIX))) return
    const arrived = new AbortController()
    const tooLate = this.#clock.sleep(ARRIVAL_MS, AbortSignal.any([arrived.signal, this.#stop.signal]))
    await Promise.race([this.allTried(), tooLate])
    arrived.abort()
  }

  /** What models are offered: tools of live servers, without the blocked ones, in a stable order. */
  tools(): ToolDefinition[] {
    const offered = [...this.#offered.values()].filter(({ server }) => server.isReady)
    const free = offered.filter((tool) => !isBlocked(tool, this.#versions.get(this.#pinnedAs(tool.name))))
    if (free.length < offered.length) this.#versions.lookAgain()
    return free.map((tool) => toolDefinition(tool, (input, context) => this.#run(tool, input, context))).sort(byName)
  }

  async listed(): Promise<ListedMcpTool[]> {
    await this.#versions.read()
    return [...this.#offered.values()].map((tool) => this.#listed(tool)).sort(byName)
  }

  /**
   * Agrees to the version that is offered now. `not_found`: there is no such tool; `already_decided` (409): `digest`
   * names another version than the one offered, so whoever approves has not seen this one.
   */
  async approve(name: string, digest: string, user_id: string): Promise<ListedMcpTool> {
    const offered = this.#find(name)
    if (!offered) throw new AgentError('not_found', `There is no MCP tool ${name}.`)
    if (digest !== offered.version.digest)
      throw new AgentError(
        'already_decided',
        `${name} is offered in another version by now (${offered.version.digest}). Read it, then approve that one.`,
        { details: { offered: offered.version.digest } },
      )
    await this.#versions.approve(name, offered.version, user_id)
    return this.#listed(offered)
  }

  /** Whether it lists a tool under this name. */
  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  /** Process id of a server that runs as a child of this one. */
  pidOf(server: string): number | undefined {
    return this.#servers.find(({ name }) => name === server)?.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()))
    this.#tether[Symbol.dispose]()
    await Promise.allSettled([this.#loaded, this.#versions.idle()])
  }

  #standingOf(server: McpServer): ServerStandingOf {
    const { name, config, tools, standing } = server
    const ofServer = [...this.#offered.values()].filter((tool) => tool.server === server)
    const blocked = ofServer.filter((tool) => isBlocked(tool, this.#versions.get(this.#pinnedAs(tool.name)))).length
    const count = standing.answeredAt === null ? null : tools.length
    return { ...standing, name, config, tools: count, blocked }
  }

  #listed(tool: OfferedTool): ListedMcpTool {
    const name = this.#pinnedAs(tool.name)
    return { ...listedTool(tool, this.#versions.get(name)), name }
  }

  #find(listed: string): OfferedTool | undefined {
    return [...this.#offered.values()].find(({ name }) => this.#pinnedAs(name) === listed)
  }

  #pinnedAs(name: string): string {
    return this.#scope === undefined ? name : `${name}@${this.#scope}`
  }

  /** Until it is known which versions count, nothing is offered. */
  async #load(): Promise<void> {
    this.#isLoaded = await this.#versions.load(this.#stop.signal)
    this.#collect()
  }

  #collect(): void {
    if (!this.#isLoaded) return
    const offered = new Map<string, OfferedTool>()
    for (const server of this.#servers)
      for (const tool of server.tools) {
        const name = safeToolName('mcp', server.name, tool.name)
        const seen = offered.get(name)
        if (seen) this.#onWarning(`Two MCP tools are named ${name}; that of "${seen.server.name}" is used.`)
        else offered.set(name, offeredTool(name, server, tool))
      }
    this.#offered = offered
  }

  async #run(seen: OfferedTool, input: JsonValue, context: ToolContext): Promise<ToolOutput> {
    const { name, title, server, tool } = seen
    context.signal.throwIfAborted()
    // What the model was shown is what gets pinned, and what the server offers now must be just that.
    const pinned = await this.#versions.pin(this.#pinnedAs(name), seen.version)
    const now = this.#offered.get(name)
    if (now && now.version.digest !== pinned.digest)
      throw new Error(
        `${name} is blocked: the MCP server "${server.name}" changed its description, its input or what it says of its danger since it was first used. The owner of this server can look at both versions and approve the new one.`,
      )
    if (server.isReady && !server.tools.some((offered) => offered.name === tool.name))
      throw new Error(`The MCP server "${server.name}" no longer offers ${tool.name}.`)
    const call = { server, tool: tool.name, title, input: input as JsonObject, context }
    return callTool(call, this.#clock, (said) => this.#onCallFailed(server.name, said))
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
