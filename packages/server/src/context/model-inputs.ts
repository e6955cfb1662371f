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

type Chain = { messages: readonly ModelMessage[]; last: string }

/** Where a chain begins. As long as a digest. */
export const NO_LINK = '-'.repeat(43)

/** Texts between these many characters are deflated: below it does not pay, above it would hold up everybody else. */
const PACKED_FROM = 1_024
const PACKED_TO = 256 * 1_024
const DIGESTS_PER_LOOK = 500

/** What the models of one run are given, on its way into the journal. */
export class ModelInputs {
  readonly #engine: Engine
  readonly #session_id: string
  /** What is in the journal, or on its way there. */
  readonly #kept = new Set<string>()
  readonly #chains = new Map<string, Chain>()
  #hasLooked = false

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
    const data = {
      model,
      ...parameters,
      system: add(system),
      tools: add(JSON.stringify(tools)),
      messages: this.#follow(loop_id, messages, add),
    }
    // A conversation of one message has only just begun.
    if (messages.length > 1) await this.#look(texts)
    for (const digest of texts.keys()) this.#kept.add(digest)
    return { data, contents: [...texts].map(contentRow) }
  }

  /** Links what the loop's last call did not have, or everything when that began otherwise. */
  #follow(loop_id: string, messages: readonly ModelMessage[], add: (text: string) => string): string {
    const known = this.#chains.get(loop_id)
    const goesOn = known?.messages.every((message, index) => message === messages[index])
    const { length } = goesOn ? known!.messages : []
    const last = messages
      .slice(length)
      .reduce((link, message) => add(`${link} ${add(JSON.stringify(message))}`), goesOn ? known!.last : NO_LINK)
    this.#chains.set(loop_id, { messages: [...messages], last })
    return last
  }

  /** A run's first call brings the whole conversation, most of which earlier runs have stored. */
  async #look(texts: Map<string, string>): Promise<void> {
    if (this.#hasLooked) return
    this.#hasLooked = true
    const digests = [...texts.keys()]
    for (let from = 0; from < digests.length; from += DIGESTS_PER_LOOK) {
      const some = digests.slice(from, from + DIGESTS_PER_LOOK)
      for (const { digest } of await this.#engine.read(() => run(this.#stored(some)))) {
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
const packedTexts = new Map<string, string>()
const PACKED_TEXTS = 32

function contentRow([digest, text]: [string, string]): ContentRow {
  if (text.length < PACKED_FROM || text.length > PACKED_TO) return { digest, content: text, packed: 0 }
  const content = packedTexts.get(digest) ?? deflateRawSync(text).toString('base64')
  packedTexts.delete(digest)
  packedTexts.set(digest, content)
  if (packedTexts.size > PACKED_TEXTS) packedTexts.delete(packedTexts.keys().next().value!)
  return { digest, content, packed: 1 }
}

export function textOfContent({ content, packed }: Pick<ContentRow, 'content'> & { packed: number }): string {
  return packed === 1 ? inflateRawSync(Buffer.from(content, 'base64')).toString() : content
}
