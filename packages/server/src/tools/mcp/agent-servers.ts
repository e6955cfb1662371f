import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { AgentVersion } from '../../agents/agent-version.ts'
import { makeWorkDirectory } from './work-directory.ts'
import type { Timers } from '../../store/timers.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { McpServersConfig } from './config.ts'
import type { McpServers } from './mcp-servers.ts'
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

/** How long runs wait for a server that was started for their agent, counted from that start. */
const FIRST_MS = 10_000
const IDLE_MS = 5 * 60_000

type Server = {
  key: string
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

  #open(agent: AgentVersion, { key, scope, servers: config, work }: Entry): Server {
    const beforeStart = async () => {
      await this.#options.verify(agent)
      if (!work) return
      await makeWorkDirectory(agent, work.root)
      await mkdir(work.cwd, { recursive: true, mode: 0o700 })
    }
    const servers = this.#options.open(config, { scope, agent: agent.name, beforeStart })
    const server = { key, servers, openedAt: this.#options.timers.elapsed(), users: 0, ending: undefined }
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
  scope: string
  servers: McpServersConfig
  /** Where a program works, and in which part of that it is started. */
  work?: { root: string; cwd: string }
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
  if (!('command' in config)) return { key: scope, scope, servers: { [name]: config } }
  const below = relative(directory, resolve(directory, config.cwd ?? '.'))
  const isElsewhere = isAbsolute(below) || below.split(sep)[0] === '..'
  const root = join(work, scope)
  const cwd = isElsewhere ? resolve(directory, config.cwd!) : join(root, below)
  const servers = { [name]: { ...config, cwd } }
  return { key: `${scope} ${cwd}`, scope, servers, ...(!isElsewhere && { work: { root, cwd } }) }
}
