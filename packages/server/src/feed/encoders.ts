import type { PatchMode } from '@parley/protocol'
import type { Journal, Snapshot } from '../store/journal.ts'
import type { Rewording } from '../words/rewording.ts'
import { CompatEncoder, type LoadTurn } from './compat-encoder.ts'
import { deltaEncoder } from './delta-encoder.ts'
import type { Encoder } from './encoder.ts'
import { loadTurn } from './load-turn.ts'
import { SyncEncoder } from './sync-encoder.ts'

/** Hands out encoders for one kind of reader, the same one to all subscribers of a session that can share it, for as long as any of them is there. */
export class Encoders {
  readonly #journal: Journal
  readonly #now: () => number
  readonly #rewording: Rewording
  readonly #shared = new Map<string, { encoder: CompatEncoder | undefined; users: number }>()

  constructor(journal: Journal, now: () => number, rewording: Rewording) {
    this.#journal = journal
    this.#now = now
    this.#rewording = rewording
  }

  /** Registers a subscriber; dispose when it leaves. */
  use(session_id: string): Disposable {
    const entry = this.#shared.get(session_id) ?? { encoder: undefined, users: 0 }
    this.#shared.set(session_id, entry)
    entry.users += 1
    return {
      [Symbol.dispose]: () => {
        entry.users -= 1
        if (entry.users === 0) this.#shared.delete(session_id)
      },
    }
  }

  /** An encoder for what comes after the snapshot. */
  encoderAt(session_id: string, mode: PatchMode, snapshot: Snapshot): Encoder {
    const { head, open } = snapshot
    if (mode === 'delta') return deltaEncoder
    const load = this.loaderOf(session_id)
    if (mode === 'sync') return new SyncEncoder(head, open, { loadTurn: load, now: this.#now })
    const entry = this.#shared.get(session_id)
    // One that is behind belongs to slow readers; one that is ahead still has what comes next, or says that it has not.
    if (entry?.encoder && entry.encoder.position >= head) return entry.encoder
    const encoder = new CompatEncoder(head, open, load)
    if (entry) entry.encoder = encoder
    return encoder
  }

  loaderOf(session_id: string): LoadTurn {
    return async (turn_id) => {
      const turn = await loadTurn(this.#journal, session_id, turn_id)
      return turn && this.#rewording.turn(session_id, turn)
    }
  }
}
