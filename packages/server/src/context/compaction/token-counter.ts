import type { ModelInput, ModelMessage } from '../../ports.ts'

/** How many tokens each text is. Rejects when nobody can tell. */
export type CountTexts = (texts: readonly string[]) => Promise<number[]>

/** Whose tokens are counted: those of OpenAI's newer models. */
export const TOKENIZER = 'o200k_base'
/** What stands around a message: its role, and where it begins and ends. */
export const TOKENS_PER_MESSAGE = 4
/** About what a picture of ordinary size costs; providers differ, and none says so beforehand. */
const TOKENS_PER_IMAGE = 1_000
/** Letters of a token where no tokenizer can be had. Rather too few letters, so that the sum is not too small. */
const BYTES_PER_TOKEN = 3

/** Counts messages, each once: conversations only grow. */
export class TokenCounter {
  readonly #count: CountTexts
  readonly #tokens = new WeakMap<ModelMessage, number>()
  readonly #bytes = new WeakMap<ModelMessage, number>()

  constructor(count: CountTexts) {
    this.#count = count
  }

  /** For one run: where it is stopped meanwhile nobody waits for a count, and bytes tell about as much. */
  within(signal: AbortSignal): TokenCounter {
    return new TokenCounter((texts) => unlessAborted(this.#count(texts), signal))
  }

  /** In the order of the messages. */
  async ofEach(messages: readonly ModelMessage[]): Promise<number[]> {
    const news = messages.filter((message) => !this.#tokens.has(message))
    const counts = await this.ofTexts(news.map(textOfMessage))
    for (const [index, message] of news.entries())
      this.#tokens.set(message, counts[index]! + TOKENS_PER_MESSAGE + imagesIn(message) * TOKENS_PER_IMAGE)
    return messages.map((message) => this.#tokens.get(message)!)
  }

  async ofMessages(messages: readonly ModelMessage[]): Promise<number> {
    return sum(await this.ofEach(messages))
  }

  async ofTexts(texts: readonly string[]): Promise<number[]> {
    if (texts.length === 0) return []
    return this.#count(texts).catch(() => texts.map((text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)))
  }

  /** Everything that goes before the messages. */
  async ofPreamble({
    system,
    tools,
  }: Pick<ModelInput, 'system' | 'tools'>): Promise<{ system: number; tools: number }> {
    const [inSystem = 0, inTools = 0] = await this.ofTexts([system, tools.length === 0 ? '' : JSON.stringify(tools)])
    return { system: inSystem, tools: inTools }
  }

  /** No count is above this, whatever the tokenizer: a token is at least a byte. Costs next to nothing. */
  atMost(messages: readonly ModelMessage[]): number {
    return sum(messages.map((message) => this.#bytesOf(message)))
  }

  #bytesOf(message: ModelMessage): number {
    let bytes = this.#bytes.get(message)
    if (bytes === undefined) {
      bytes = Buffer.byteLength(textOfMessage(message)) + TOKENS_PER_MESSAGE + imagesIn(message) * TOKENS_PER_IMAGE
      this.#bytes.set(message, bytes)
    }
    return bytes
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Whose own tokenizer it is; of all other models it is a good guess. */
export function isOwnTokenizer(model: string): boolean {
  return /(?:^|\/)(?:gpt-4o|gpt-4\.\d|gpt-[5-9]|o\d|chatgpt-4o|gpt-oss)/i.test(model)
}

/** What a provider turns into tokens, pictures aside. */
function textOfMessage(message: ModelMessage): string {
  if (message.role === 'tool') return message.text
  const parts: readonly { type: string; text?: string; name?: string; arguments?: string }[] = message.content
  return parts.map((part) => `${part.text ?? ''}${part.name ?? ''}${part.arguments ?? ''}`).join('')
}

function imagesIn(message: ModelMessage): number {
  return message.role === 'user' ? message.content.filter(({ type }) => type === 'image').length : 0
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0)
}
