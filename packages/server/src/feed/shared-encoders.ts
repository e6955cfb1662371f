import type { Encoding, Live, Place } from './encoding.ts'
import { SharedLive } from './shared-live.ts'

type Readers = { count: number; encoders: Map<unknown, SharedLive<unknown>> }

/** Hands out encoders for one kind of reader, the same one to all readers of a session that can share it, for as long as any of them is there. */
export class SharedEncoders {
  readonly #sessions = new Map<string, Readers>()

  /** Registers a reader; dispose when it leaves. */
  use(session_id: string): Disposable {
    const readers = this.#sessions.get(session_id) ?? { count: 0, encoders: new Map() }
    this.#sessions.set(session_id, readers)
    readers.count += 1
    return {
      [Symbol.dispose]: () => {
        readers.count -= 1
        if (readers.count === 0) this.#sessions.delete(session_id)
      },
    }
  }

  /** An encoder for what comes after the snapshot. */
  liveAt<Out>(encoding: Encoding<Out>, place: Place): Live<Out> {
    const { lengthOf } = encoding
    if (!lengthOf) return encoding.live(place)
    const { head } = place.snapshot
    const encoders = this.#sessions.get(place.session_id)?.encoders as Map<unknown, SharedLive<Out>> | undefined
    const known = encoders?.get(encoding)
    // One that is behind belongs to slow readers; one that is ahead still has what comes next, or says that it has not.
    if (known && known.position >= head) return known
    const shared = new SharedLive(encoding.live(place), head, lengthOf)
    encoders?.set(encoding, shared)
    return shared
  }
}
