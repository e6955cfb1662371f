import type { RunError } from '../../core/loop-events.ts'
import type { LoopState } from '../../core/loop-state.ts'
import type { ModelMessage, ToolSpec } from '../../ports.ts'
import { isOwnTokenizer, type TokenCounter } from './token-counter.ts'

/** Everything a call has beside its messages. */
export type Given = { system: string; tools: readonly ToolSpec[]; model: string }

/** `scale`: how the provider's count relates to ours, where it has counted. */
export type Measured = { tokens: number; scale: number; estimated: boolean }

export type Windows = {
  /** Tokens; 0 when unknown. */
  of: (model: string) => Promise<number>
  /** What `of` has said last. */
  known: (model: string) => number
  learn: (model: string, tokens: number) => Promise<void>
}

export type MeterOptions = {
  counter: TokenCounter
  windows: Windows
  /** From this share of the window on a conversation is compacted; 0: never by itself. */
  share: number
}

/** A window that nobody names is smaller than what did not fit, by about what two tokenizers may differ. */
const GUESSED_SHARE = 0.9

/** How long conversations are, and how long they may be. */
export class Meter {
  readonly counter: TokenCounter
  readonly #options: MeterOptions

  constructor(options: MeterOptions) {
    this.#options = options
    this.counter = options.counter
  }

  /** For one run. */
  within(signal: AbortSignal): Meter {
    return new Meter({ ...this.#options, counter: this.counter.within(signal) })
  }

  windowOf(model: string): Promise<number> {
    return this.#options.windows.of(model)
  }

  /** What `windowOf` has said last, for those who cannot wait. */
  knownWindow(model: string): number {
    return this.#options.windows.known(model)
  }

  async isDue(loop: Pick<LoopState, 'messages' | 'measured'>, given: Given): Promise<boolean> {
    const window = await this.windowOf(given.model)
    const limit = window * this.#options.share
    // Nearly always the cheap bound is enough, and nothing needs to be counted.
    if (limit === 0 || this.#atMost(loop, given) <= limit) return false
    return (await this.measure(loop, given)).tokens > limit
  }

  /** The provider's word, and only what it has not seen counted by us. */
  async measure({ messages, measured }: Pick<LoopState, 'messages' | 'measured'>, given: Given): Promise<Measured> {
    if (!measured)
      return { tokens: await this.count(messages, given), scale: 1, estimated: !isOwnTokenizer(given.model) }
    const news = messages.slice(measured.messages)
    const tokens = measured.tokens + (await this.counter.ofMessages(news))
    const counted = await this.count(messages, given)
    return { tokens, scale: counted === 0 ? 1 : tokens / counted, estimated: news.length > 0 }
  }

  async count(messages: readonly ModelMessage[], given: Given): Promise<number> {
    const { system, tools } = await this.counter.ofPreamble(given)
    return system + tools + (await this.counter.ofMessages(messages))
  }

  /** From a call that did not fit: what the provider says its window is, or a guess where it says nothing. */
  async learn(model: string, { details }: RunError, tokens: number): Promise<void> {
    const said = details?.['context_window']
    const known = await this.windowOf(model)
    if (typeof said === 'number') return said === known ? undefined : this.#options.windows.learn(model, said)
    const guess = Math.floor(tokens * GUESSED_SHARE)
    if (known === 0 || guess < known) await this.#options.windows.learn(model, guess)
  }

  #atMost({ messages, measured }: Pick<LoopState, 'messages' | 'measured'>, { system, tools }: Given): number {
    if (measured) return measured.tokens + this.counter.atMost(messages.slice(measured.messages))
    const preamble = Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(tools))
    return preamble + this.counter.atMost(messages)
  }
}
