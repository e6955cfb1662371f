import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { AgentVersion } from '../../agents/agent-version.ts'
import { makeWorkDirectory } from './work-directory.ts'
import type { Timers } from '../../store/timers.ts'
import type { ToolDefinition } from '../define-tool.ts'
import { enabledServers, type McpServersConfig } from './config.ts'
import type { LookedAfter, McpServers, ServerStandingOf } from './mcp-servers.ts'
import type { ListedMcpTool } from './offered-tool.ts'

/** What agents of this server need to connect one entry of a `mcp.json`. */
export type OpenServer = (
  servers: McpServersConfig,
  about: {
    /** Keeps its tools apart from others. */
    scope: string
    agent: string
    /** Before its program is started, every time. */
    beforeStart: () => Promise<void>
  },
) => McpServers

export type AgentServersOptions = {
  open: OpenServer
  timers: Timers
  /** The copy of a version is what was stored, or this throws. */
  verify: (agent: AgentVersion) => Promise<void>
  /** How long a server that no run needs is kept. Default five minutes. */
  idleMs?: number
}

/** `on_demand`: nobody needs it now. */
export type AgentServerStanding = Omit<ServerStandingOf, 'state'> & {
  state: ServerStandingOf['state'] | 'on_demand'
  /** What it is listed under. */
  id: string
  agent: string
}

/** How long runs wait for a server that was started for their agent, counted from that start. */
const FIRST_MS = 10_000
const IDLE_MS = 5 * 60_000

type Server = {
  key: string
  /** What it is listed under: its name and the mark of what its entry says. */
  id: string
  name: string
  agent: string
  servers: McpServers
  openedAt: number
  /** Runs that need it. */
  users: number
  ending: Disposable | undefined
}

/**
 * The MCP servers of agents' `mcp.json`. One is started when the first session or run of a version wants it, shared by all
 * versions that say the same of it, and ended when no run has needed it for a while.
 */
export class AgentServers implements AsyncDisposable {
  readonly #options: AgentServersOptions
  readonly #servers = new Map<string, Server>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: AgentServersOptions) {
    this.#options = options
  }

  /** What they offer now. Starts nothing. */
  tools(agent: AgentVersion): ToolDefinition[] {
    return entriesOf(agent).flatMap(({ key }) => this.#servers.get(key)?.servers.tools() ?? [])
  }

  /** Keeps them until it is disposed. */
  hold(agent: AgentVersion): Disposable {
    const held = this.#start(agent)
    for (const server of held) {
      server.users++
      server.ending?.[Symbol.dispose]()
    }
    return {
      [Symbol.dispose]: () => {
        for (const server of held) {
          server.users--
          this.#endLater(server)
        }
      },
    }
  }

  /** Starts what is not running, and settles when each was reached or failed to be, once; ten seconds after its start at the latest. */
  async arrived(agent: AgentVersion): Promise<void> {
    const { timers } = this.#options
    await Promise.all(
      this.#start(agent).map(async ({ servers, openedAt }) => {
        const tooLate = Promise.withResolvers<void>()
        using _timer = timers.after(Math.max(0, openedAt + FIRST_MS - timers.elapsed()), tooLate.resolve)
        await Promise.race([servers.allTried(), tooLate.promise])
      }),
    )
  }

  async listed(): Promise<ListedMcpTool[]> {
    return (await Promise.all([...this.#servers.values()].map(({ servers }) => servers.listed()))).flat()
  }

  /** Those that run, and those that these versions would start; each once. */
  async standings(agents: readonly AgentVersion[]): Promise<AgentServerStanding[]> {
    const asleep = agents.flatMap((agent) => entriesOf(agent).flatMap((entry) => asleepIn(agent, entry)))
    const running = await Promise.all(
      [...this.#servers.values()].map(async ({ id, agent, servers }) =>
        (await servers.standings()).map((standing) => ({ id, agent, ...standing })),
      ),
    )
    // What was opened last stands for all that say the same.
    const all = new Map([...asleep, ...running.flat()].map((one) => [one.id, one]))
    return [...all.values()]
  }

  /** Whoever runs under this id; started first where nobody does and one of these versions has it. */
  find(id: string, agents: readonly AgentVersion[]): LookedAfter | undefined {
    const running = () => [...this.#servers.values()].filter((server) => server.id === id)
    const version = agents.find((agent) => entriesOf(agent).some((entry) => entry.id === id))
    if (running().length === 0 && version) this.#start(version)
    const found = running().flatMap(({ name, servers }) => servers.find(name) ?? [])
    if (found.length === 0) return undefined
    return {
      restart: async () => void (await Promise.all(found.map((server) => server.restart()))),
      test: async () => (await Promise.all(found.map((server) => server.test()))).every(Boolean),
    }
  }

  /** By the name under which it is listed. */
  async approve(name: string, digest: string, user_id: string): Promise<ListedMcpTool> {
    const found = [...this.#servers.values()].find(({ servers }) => servers.has(name))
    if (!found) throw new AgentError('not_found', `There is no MCP tool ${name}.`)
    return found.servers.approve(name, digest, user_id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const server of this.#servers.values()) this.#end(server)
    await Promise.all(this.#closing)
  }

  #start(agent: AgentVersion): Server[] {
    if (this.#isClosed) return []
    return entriesOf(agent).map((entry) => {
      const server = this.#servers.get(entry.key) ?? this.#open(agent, entry)
      this.#endLater(server)
      return server
    })
  }

  #open(agent: AgentVersion, { key, id, name, scope, servers: config, work }: Entry): Server {
    const beforeStart = async () => {
      await this.#options.verify(agent)
      if (!work) return
      await makeWorkDirectory(agent, work.root)
      await mkdir(work.cwd, { recursive: true, mode: 0o700 })
    }
    const servers = this.#options.open(config, { scope, agent: agent.name, beforeStart })
    const openedAt = this.#options.timers.elapsed()
    const server = { key, id, name, agent: agent.name, servers, openedAt, users: 0, ending: undefined }
    this.#servers.set(key, server)
    return server
  }

  #endLater(server: Server): void {
    server.ending?.[Symbol.dispose]()
    if (server.users > 0 || this.#isClosed) return
    const { timers, idleMs = IDLE_MS } = this.#options
    server.ending = timers.after(idleMs, () => this.#end(server))
  }

  #end(server: Server): void {
    server.ending?.[Symbol.dispose]()
    this.#servers.delete(server.key)
    const closing = server.servers[Symbol.asyncDispose]().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}

type Entry = {
  /** The same for what one process or connection can serve. */
  key: string
  id: string
  name: string
  scope: string
  servers: McpServersConfig
  /** Where a program works, and in which part of that it is started. */
  work?: { root: string; cwd: string }
}

function asleepIn({ name: agent }: AgentVersion, { id, servers }: Entry): AgentServerStanding[] {
  const nothing = { tools: null, blocked: 0, answeredAt: null, failure: null, retries: 0, nextTryAt: null }
  return enabledServers(servers).map(([name, config]) => ({ state: 'on_demand', ...nothing, id, agent, name, config }))
}

const known = new WeakMap<AgentVersion, Entry[]>()

/**
 * Programs are started among the files of their version, so they belong to that version; in a directory of their own, so
 * that what they write is no part of it. Which versions of its tools were agreed
 * to goes by what the entry says, wherever it is started: an edit elsewhere in the folder must not make it forgotten.
 */
function entriesOf(agent: AgentVersion): Entry[] {
  const made =
    known.get(agent) ?? Object.entries(agent.mcpServers).map(([name, config]) => entryOf(agent, name, config))
  known.set(agent, made)
  return made
}

function entryOf({ directory, work }: AgentVersion, name: string, config: McpServersConfig[string]): Entry {
  const scope = createHash('sha256')
    .update(JSON.stringify([name, config]))
    .digest('hex')
    .slice(0, 12)
  const named = { id: `${name}@${scope}`, name, scope }
  if (!('command' in config)) return { key: scope, ...named, servers: { [name]: config } }
  const below = relative(directory, resolve(directory, config.cwd ?? '.'))
  const isElsewhere = isAbsolute(below) || below.split(sep)[0] === '..'
  const root = join(work, scope)
  const cwd = isElsewhere ? resolve(directory, config.cwd!) : join(root, below)
  const servers = { [name]: { ...config, cwd } }
  return { key: `${scope} ${cwd}`, ...named, servers, ...(!isElsewhere && { work: { root, cwd } }) }
}
