import { hash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { JsonObject, ModelInput, ModelMessage } from '../ports.ts'
import type { ContentRow } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import { run } from '../store/work.ts'

/**
 * What `run:model_input` says: the model, the parameters, and digests of the system prompt, the tools and the messages.
 *
 * The texts lie in `contents`, each once in a session. Messages are a chain, so that a call that goes on where the last one
 * ended adds its own messages only: `messages` names the last link; a link is the one before it and a message, by their
 * digests.
 */
export type StoredInput = JsonObject & { model: string; system: string; tools: string; messages: string }

/** How far a loop's messages are linked. Loops only ever add messages, so the last one tells whether they went on. */
type Chain = { length: number; message: ModelMessage | undefined; last: string }

/** Where a chain begins. As long as a digest. */
export const NO_LINK = '-'.repeat(43)

/** Texts between these many characters are deflated: below it does not pay, above it would hold up everybody else. */
const PACKED_FROM = 1_024
const PACKED_TO = 256 * 1_024
/** After so many characters others have their turn: a long conversation is hashed and deflated as a whole. */
const CHARACTERS_AT_ONCE = 256 * 1_024
const DIGESTS_PER_LOOK = 500

/** What the models of one run are given, on its way into the journal. */
export class ModelInputs {
  readonly #engine: Engine
  readonly #session_id: string
  /** What is in the journal, or on its way there. */
  readonly #kept = new Set<string>()
  readonly #chains = new Map<string, Chain>()
  #hasLooked = false
  #characters = 0

  constructor(engine: Engine, session_id: string) {
    this.#engine = engine
    this.#session_id = session_id
  }

  /** What is to be stored of a call, with the texts that are not in the session yet. */
  async keep(
    loop_id: string,
    model: string,
    input: ModelInput,
  ): Promise<{ data: StoredInput; contents: ContentRow[] }> {
    const { system, tools, messages, ...parameters } = input
    const texts = new Map<string, string>()
    const add = (text: string) => {
      const digest = digestOf(text)
      if (!this.#kept.has(digest)) texts.set(digest, text)
      return digest
    }
    const shared = { system: add(system), tools: add(JSON.stringify(tools)) }
    const data = { model, ...parameters, ...shared, messages: await this.#follow(loop_id, messages, add) }
    // A conversation of one message has only just begun.
    if (messages.length > 1) await this.#look(texts)
    const contents: ContentRow[] = []
    for (const [digest, text] of texts) {
      this.#kept.add(digest)
      const isShared = digest === shared.system || digest === shared.tools
      contents.push({ digest, ...(isShared ? packedOnce(digest, text) : pack(text)) })
      await this.#pause(text)
    }
    return { data, contents }
  }

  /** Links what the loop's last call did not have, or everything when that began otherwise. */
  async #follow(loop_id: string, messages: readonly ModelMessage[], add: (text: string) => string): Promise<string> {
    const known = this.#chains.get(loop_id)
    const goesOn = known !== undefined && messages[known.length - 1] === known.message
    let last = goesOn ? known.last : NO_LINK
    for (const message of messages.slice(goesOn ? known.length : 0)) {
      const text = JSON.stringify(message)
      last = add(`${last} ${add(text)}`)
      await this.#pause(text)
    }
    this.#chains.set(loop_id, { length: messages.length, message: messages.at(-1), last })
    return last
  }

  /** Lets others have their turn now and then; for most conversations never. */
  #pause({ length }: string): Promise<void> | undefined {
    this.#characters += length
    if (this.#characters < CHARACTERS_AT_ONCE) return undefined
    this.#characters = 0
    return new Promise((resolve) => this.#engine.timers.soon(resolve))
  }

  /** A run's first call brings the whole conversation, most of which earlier runs have stored. */
  async #look(texts: Map<string, string>): Promise<void> {
    if (this.#hasLooked) return
    this.#hasLooked = true
    const digests = [...texts.keys()]
    // What cannot be looked for is stored again, which changes nothing.
    const found = (some: readonly string[]) => this.#engine.read(() => run(this.#stored(some))).catch(() => [])
    for (let from = 0; from < digests.length; from += DIGESTS_PER_LOOK) {
      const some = digests.slice(from, from + DIGESTS_PER_LOOK)
      for (const { digest } of await found(some)) {
        texts.delete(digest)
        this.#kept.add(digest)
      }
    }
  }

  #stored(digests: readonly string[]) {
    return this.#engine.db
      .selectFrom('contents')
      .select('digest')
      .where('session_id', '=', this.#session_id)
      .where('digest', 'in', digests)
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Tools and system prompts are the same in session after session. */
const packedTexts = new Map<string, Packed>()
const PACKED_TEXTS = 32

type Packed = Pick<ContentRow, 'content' | 'packed'>

function packedOnce(digest: string, text: string): Packed {
  const packed = packedTexts.get(digest) ?? pack(text)
  packedTexts.delete(digest)
  packedTexts.set(digest, packed)
  if (packedTexts.size > PACKED_TEXTS) packedTexts.delete(packedTexts.keys().next().value!)
  return packed
}

function pack(text: string): Packed {
  if (text.length < PACKED_FROM || text.length > PACKED_TO) return { content: text, packed: 0 }
  return { content: deflateRawSync(text).toString('base64'), packed: 1 }
}

/** `undefined` for what is damaged. */
export function textOfContent({ content, packed }: { content: string; packed: number }): string | undefined {
  try {
    return packed === 1
      ? inflateRawSync(Buffer.from(content, 'base64'), { maxOutputLength: 4 * PACKED_TO }).toString()
      : content
  } catch {
    return undefined
  }
}
