import type { AgentSession, AgentSessionState } from '@parley/client'
import { askUser } from './ask-user.ts'
import { LineReader } from './line-reader.ts'
import type { Terminal } from './terminal.ts'
import { TurnPrinter } from './turn-printer.ts'

/** Read, send, show, ask; until the user leaves. */
export class ChatLoop {
  readonly #session: AgentSession
  readonly #terminal: Terminal
  readonly #printer: TurnPrinter
  readonly #lines: LineReader
  readonly #sendOptions: { model?: string }
  #isLeaving = false
  #lastRunSucceeded = true

  constructor(session: AgentSession, terminal: Terminal, sendOptions: { model?: string } = {}) {
    const { style, words, output, hasColours } = terminal
    this.#session = session
    this.#terminal = terminal
    this.#sendOptions = sendOptions
    this.#printer = new TurnPrinter({ style, words, drawsMarkdown: hasColours, write: (text) => output.write(text) })
    this.#lines = new LineReader(terminal)
  }

  /** True when the last run went well. */
  async talk(): Promise<boolean> {
    const { isInteractive } = this.#terminal
    using lines = this.#lines
    this.#printer.skip(this.#session.getState().turns)
    this.#showConnection()
    // A session opened in the middle of a run, or waiting for an answer, goes on where it is.
    await this.#untilIdle()
    while (!this.#isLeaving) {
      const line = await lines.read('› ')
      if (line === null) break
      if (line.trim()) await this.#handle(line.trim())
    }
    if (isInteractive) this.#printer.endLine()
    return this.#lastRunSucceeded
  }

  async #handle(line: string): Promise<void> {
    const { words } = this.#terminal
    if (line === '/exit' || line === '/quit') this.#isLeaving = true
    else if (line === '/help') this.#printer.note(words.chatHelp)
    else if (line === '/stop') await this.#session.stop()
    // Not every server can: it is done where it can be, and not offered.
    else if (line === '/compact') await this.#compact()
    else if (/^\/\w+$/.test(line)) this.#printer.note(words.unknownCommand(line))
    else await this.#run(() => this.#session.send(line, this.#sendOptions))
  }

  async #compact(): Promise<void> {
    const { isInteractive, words, style } = this.#terminal
    if (isInteractive) this.#printer.note(style.dim(`${words.progress.compacting} …`))
    await this.#try(() => this.#session.compact())
  }

  async #run(start: () => Promise<unknown>): Promise<void> {
    this.#lastRunSucceeded = await this.#try(start)
    if (this.#lastRunSucceeded) await this.#untilIdle()
  }

  /** Shows the run until it ends, and puts its questions. */
  async #untilIdle(): Promise<void> {
    await this.#watch()
    const { style, words } = this.#terminal
    const [question] = this.#session.getState().questions
    if (!question || this.#isLeaving) return
    const answered = await askUser(question, this.#terminal, (prompt) => this.#lines.read(prompt))
    if ('answer' in answered) return this.#run(() => this.#session.answer(answered.answer))
    if (answered.left === 'interrupted') this.#isLeaving = true
    else this.#printer.note(style.dim(words.skipped))
  }

  #watch(): Promise<void> {
    const { style, words } = this.#terminal
    return new Promise((resolve) => {
      let isStopping = false
      const interrupt = () => {
        if (isStopping) this.#isLeaving = true
        else this.#printer.note(style.dim(`${words.stopping} ${words.pressAgain}`))
        if (!isStopping) void this.#session.stop().catch(() => {})
        isStopping = true
        look()
      }
      const look = () => {
        const state = this.#session.getState()
        this.#printer.update(state.turns)
        if (state.isStreaming && !state.isGone && !this.#isLeaving) return
        unsubscribe()
        process.off('SIGINT', interrupt)
        this.#printer.endLine()
        this.#sayHowItEnded(state)
        resolve()
      }
      process.on('SIGINT', interrupt)
      const unsubscribe = this.#session.subscribe(look)
      look()
    })
  }

  #sayHowItEnded({ status, errorMessage }: AgentSessionState): void {
    const { style, words } = this.#terminal
    this.#lastRunSucceeded = status !== 'failed'
    if (status === 'interrupted') this.#printer.note(style.dim(words.stopped))
    if (status === 'failed') this.#printer.note(style.red(words.runFailed(errorMessage ?? status)))
  }

  /** What the server refuses is said and survived. */
  async #try(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action()
      return true
    } catch (error) {
      this.#printer.note(this.#terminal.style.red((error as Error).message))
      return false
    }
  }

  #showConnection(): void {
    const { style, words } = this.#terminal
    let isLost = false
    this.#session.subscribe(() => {
      const { connection } = this.#session.getState()
      if (connection === 'reconnecting' && !isLost) this.#printer.note(style.dim(words.connectionLost))
      if (connection === 'connected' && isLost) this.#printer.note(style.dim(words.connectionBack))
      isLost = connection === 'reconnecting'
    })
  }
}
