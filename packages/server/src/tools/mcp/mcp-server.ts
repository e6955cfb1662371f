import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import type { Clock } from '../../ports.ts'
import type { McpServerConfig } from './config.ts'
import { type CallOptions, type ConnectionOptions, type McpConnection, openConnection } from './connection.ts'

export type McpServerOptions = Pick<
  ConnectionOptions,
  'environment' | 'tether' | 'fetchFor' | 'version' | 'beforeStart'
> & {
  name: string
  config: McpServerConfig
  clock: Clock
  /** Shortest and longest wait before the next attempt, milliseconds. */
  backOffMs: { min: number; max: number }
  /** After every list of tools that came. */
  onTools: () => void
  onWarning: (message: string) => void
  onDown: (server: string, reason: string, ms: number) => void
  onInfo: (message: string) => void
}

/** After this long a connection counts as good, and the next failure as the first. */
const STEADY_MS = 30_000
const MAX_TOOLS = 256
/** What a model is told of one tool; a larger one would push everything else out of the conversation. */
const MAX_TOOL_CHARACTERS = 64 * 1024
/** However often it says that they changed, a list is asked for this much later, and ten times as long as the last took. */
const LISTS_APART_MS = 200
const REASON_SHOWN = 500
/** Of what a program says while it starts. */
const LINES_SHOWN = 20

/**
 * One configured server, kept connected until it is disposed:
 *
 *   connecting ─▶ ready ─▶ down ─(back-off)─▶ connecting
 *        └──────────────────▲
 */
export class McpServer implements AsyncDisposable {
  readonly name: string
  readonly config: McpServerConfig
  /** Settles when the first attempt has ended, either way. */
  readonly firstAttempt: Promise<void>
  readonly #options: McpServerOptions
  readonly #stop = new AbortController()
  readonly #kept: Promise<void>
  #tools: readonly Tool[] = []
  #connection: McpConnection | undefined
  #listing: Promise<void> | undefined
  #isListOld = false

  constructor(options: McpServerOptions) {
    this.name = options.name
    this.config = options.config
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.firstAttempt = promise
    this.#kept = this.#keepConnected(resolve).finally(resolve)
  }

  get isReady(): boolean {
    return this.#connection !== undefined
  }

  /** What it offers, or offered before it went down. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  get pid(): number | undefined {
    return this.#connection?.pid
  }

  async call(options: CallOptions): Promise<CallToolResult> {
    if (!this.#connection)
      throw new Error(`The MCP server "${this.name}" is not running. It is being restarted; try again in a moment.`)
    return this.#connection.call(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#kept
  }

  async #keepConnected(attempted: () => void): Promise<void> {
    const { clock, backOffMs, onDown } = this.#options
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted; failures++) {
      const since = clock.elapsed()
      const reason = await this.#connectOnce(attempted)
      attempted()
      if (signal.aborted) return
      if (clock.elapsed() - since > STEADY_MS) failures = 0
      const wait = Math.min(backOffMs.max, backOffMs.min * 2 ** failures)
      onDown(this.name, reason, wait)
      await clock.sleep(wait, signal)
    }
  }

  /** Resolves, when the connection is gone again, with the reason. */
  async #connectOnce(attempted: () => void): Promise<string> {
    const { signal } = this.#stop
    const closed = Promise.withResolvers<string>()
    let connection: McpConnection | undefined
    let linesLeft = LINES_SHOWN
    const hangUp = () => void connection?.close()
    signal.addEventListener('abort', hangUp, { once: true })
    try {
      connection = await openConnection({
        ...this.#options,
        signal,
        onSaid: (line) => {
          if (!this.#connection && linesLeft-- > 0) this.#options.onInfo(`MCP server ${this.name} says: ${line}`)
        },
        onToolsChanged: () => this.#listAgain(),
        onClose: (words) => closed.resolve(words ? `it ended (${words})` : 'it ended'),
      })
      this.#take(await connection.listTools())
      this.#connection = connection
      this.#options.onTools()
      this.#options.onInfo(
        `MCP server ${this.name}: ${this.#tools.length} ${this.#tools.length === 1 ? 'tool' : 'tools'}`,
      )
      attempted()
      return await closed.promise
    } catch (error) {
      return (error as Error).message.slice(0, REASON_SHOWN)
    } finally {
      signal.removeEventListener('abort', hangUp)
      this.#connection = undefined
      await connection?.close()
      await this.#listing
    }
  }

  #listAgain(): void {
    this.#isListOld = true
    this.#listing ??= this.#listWhileOld().finally(() => {
      this.#listing = undefined
    })
  }

  async #listWhileOld(): Promise<void> {
    const { clock } = this.#options
    while (this.#isListOld && this.#connection) {
      this.#isListOld = false
      const since = clock.now()
      try {
        this.#take(await this.#connection.listTools())
        this.#options.onTools()
      } catch (error) {
        this.#options.onWarning(
          `The MCP server "${this.name}" changed its tools and could not list them: ${(error as Error).message.slice(0, REASON_SHOWN)}`,
        )
      }
      await clock.sleep(Math.max(LISTS_APART_MS, 10 * (clock.now() - since)), this.#stop.signal)
    }
  }

  #take(tools: readonly Tool[]): void {
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    const first = [...byName.values()].slice(0, MAX_TOOLS)
    this.#tools = first.filter((tool) => JSON.stringify(tool).length <= MAX_TOOL_CHARACTERS)
    const { onWarning } = this.#options
    if (byName.size > MAX_TOOLS)
      onWarning(`The MCP server "${this.name}" offers ${byName.size} tools; the first ${MAX_TOOLS} are used.`)
    if (this.#tools.length < first.length)
      onWarning(`The MCP server "${this.name}" describes some tools at such length that they are left out.`)
  }
}
