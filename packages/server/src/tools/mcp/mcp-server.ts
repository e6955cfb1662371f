import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import type { Clock } from '../../ports.ts'
import type { McpServerConfig } from './config.ts'
import { type CallOptions, type ConnectionOptions, type McpConnection, openConnection } from './connection.ts'
import { type DownCode, ServerEnded, whyDown } from './why-down.ts'

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

/** How it stands, with times as the clock shows them. */
export type ServerStanding = {
  state: 'ready' | 'starting' | 'failed'
  /** When it last answered anything. */
  answeredAt: number | null
  failure: ServerFailure | null
  /** Attempts that failed, in a row. */
  retries: number
  nextTryAt: number | null
}

export type ServerFailure = {
  code: DownCode
  at: number
  /** The first line of its program's stderr, and the last; with whatever stands in them. */
  said: readonly string[]
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
/** How long whoever looks after a server waits for its answer. */
const LOOK_MS = 15_000

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
  #standing: ServerStanding = { state: 'starting', answeredAt: null, failure: null, retries: 0, nextTryAt: null }
  /** Ends the attempt, the connection or the wait that is under way. */
  #round = new AbortController()
  /** Settles when the next attempt has ended, either way. */
  #attempt: PromiseWithResolvers<void> = Promise.withResolvers()
  #tools: readonly Tool[] = []
  #connection: McpConnection | undefined
  #listing: Promise<void> | undefined
  #isListOld = false

  constructor(options: McpServerOptions) {
    this.name = options.name
    this.config = options.config
    this.#options = options
    this.firstAttempt = this.#attempt.promise
    this.#kept = this.#keepConnected().finally(() => this.#attempt.resolve())
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

  get standing(): ServerStanding {
    return this.#standing
  }

  async call(options: CallOptions): Promise<CallToolResult> {
    if (!this.#connection)
      throw new Error(`The MCP server "${this.name}" is not running. It is being restarted; try again in a moment.`)
    const answer = await this.#connection.call(options)
    this.#answered()
    return answer
  }

  /** Ends it and starts it again, at once. Settles when that has come to something, or has taken long. */
  async restart(): Promise<void> {
    this.#standing = { ...this.#standing, state: 'starting', failure: null, retries: 0, nextTryAt: null }
    const before = this.#attempt
    this.#attempt = Promise.withResolvers()
    void this.#attempt.promise.then(before.resolve)
    this.#round.abort()
    await this.#patiently(this.#attempt.promise)
  }

  /** Whether it answers now: one that is connected lists its tools, another is tried again. */
  async test(): Promise<boolean> {
    const connection = this.#connection
    if (!connection) {
      if (this.#standing.state === 'starting') await this.#patiently(this.#attempt.promise)
      else await this.restart()
      return this.isReady
    }
    try {
      await this.#patiently(connection.listTools(), true)
      this.#answered()
      return this.isReady
    } catch {
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#kept
  }

  async #keepConnected(): Promise<void> {
    const { clock, backOffMs, onDown } = this.#options
    const stop = this.#stop.signal
    for (let failures = 0; !stop.aborted; failures++) {
      const since = clock.elapsed()
      this.#round = new AbortController()
      const round = AbortSignal.any([stop, this.#round.signal])
      const down = await this.#connectOnce(round)
      if (stop.aborted) return
      if (round.aborted) {
        // What somebody asked for counts as the first.
        failures = -1
        continue
      }
      if (clock.elapsed() - since > STEADY_MS) failures = 0
      const wait = Math.min(backOffMs.max, backOffMs.min * 2 ** failures)
      const nextTryAt = clock.now() + wait
      const { answeredAt } = this.#standing
      this.#standing = { state: 'failed', answeredAt, failure: down.failure, retries: failures + 1, nextTryAt }
      this.#attempt.resolve()
      onDown(this.name, down.reason, wait)
      await clock.sleep(wait, round)
      if (round.aborted) failures = -1
      else this.#standing = { ...this.#standing, nextTryAt: null }
    }
  }

  /** Resolves, when the connection is gone again, with the reason. */
  async #connectOnce(signal: AbortSignal): Promise<{ reason: string; failure: ServerFailure }> {
    const closed = Promise.withResolvers<string>()
    const said: string[] = []
    let connection: McpConnection | undefined
    let linesLeft = LINES_SHOWN
    const hangUp = () => void connection?.close()
    signal.addEventListener('abort', hangUp, { once: true })
    const failure = (error: unknown) => ({ code: whyDown(error), at: this.#options.clock.now(), said: [...said] })
    try {
      connection = await openConnection({
        ...this.#options,
        signal,
        onSaid: (line) => {
          said.splice(Math.min(1, said.length), 1, line)
          if (!this.#connection && linesLeft-- > 0) this.#options.onInfo(`MCP server ${this.name} says: ${line}`)
        },
        onToolsChanged: () => this.#listAgain(),
        onClose: (words) => closed.resolve(words ? `it ended (${words})` : 'it ended'),
      })
      this.#take(await connection.listTools())
      this.#connection = connection
      this.#standing = { state: 'ready', answeredAt: null, failure: null, retries: 0, nextTryAt: null }
      this.#answered()
      this.#options.onTools()
      this.#options.onInfo(
        `MCP server ${this.name}: ${this.#tools.length} ${this.#tools.length === 1 ? 'tool' : 'tools'}`,
      )
      this.#attempt.resolve()
      const reason = await closed.promise
      return { reason, failure: failure(new ServerEnded(reason)) }
    } catch (error) {
      return { reason: (error as Error).message.slice(0, REASON_SHOWN), failure: failure(error) }
    } finally {
      signal.removeEventListener('abort', hangUp)
      this.#connection = undefined
      await connection?.close()
      await this.#listing
    }
  }

  #answered(): void {
    this.#standing = { ...this.#standing, answeredAt: this.#options.clock.now() }
  }

  /** As long as anybody likes to wait; with `isDemanded`, longer is a failure. */
  async #patiently(work: Promise<unknown>, isDemanded = false): Promise<void> {
    const done = new AbortController()
    const { clock } = this.#options
    const tooLate = clock.sleep(LOOK_MS, AbortSignal.any([done.signal, this.#stop.signal])).then(() => {
      if (isDemanded) throw new Error(`The MCP server "${this.name}" did not answer within ${LOOK_MS} ms.`)
    })
    try {
      await Promise.race([work, tooLate])
    } finally {
      tooLate.catch(() => undefined)
      done.abort()
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
