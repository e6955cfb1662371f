import { AgentError } from '@parley/protocol'
import type { FastifyReply } from 'fastify'

/** How many may read the links of one session, and of all, at the same time: a long conversation is seconds of work, and they are strangers. */
export const READERS_OF_SESSION = 8
const READERS_OF_ALL = 64
const RETRY_SECONDS = 5

/** Counts who is reading, here alone. */
export class Readings {
  readonly #readers = new Map<string, number>()
  #all = 0

  /** One more until the answer is sent, or nobody waits for it; `rate_limited` when there are too many. */
  begin(session_id: string, { raw }: FastifyReply): void {
    const readers = this.#readers.get(session_id) ?? 0
    if (readers >= READERS_OF_SESSION || this.#all >= READERS_OF_ALL)
      throw new AgentError('rate_limited', `Many are reading this just now. Try again in ${RETRY_SECONDS} s.`, {
        details: { retry_after: RETRY_SECONDS },
      })
    this.#readers.set(session_id, readers + 1)
    this.#all += 1
    raw.once('close', () => this.#end(session_id))
  }

  #end(session_id: string): void {
    const left = this.#readers.get(session_id)! - 1
    if (left > 0) this.#readers.set(session_id, left)
    else this.#readers.delete(session_id)
    this.#all -= 1
  }
}
