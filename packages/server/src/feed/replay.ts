import type { PatchMode, TurnProjection } from '@parley/protocol'
import type { Snapshot } from '../store/journal.ts'
import type { StoredEvent } from '../store/work.ts'
import type { LoadTurn } from './compat-encoder.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'
import { TurnFold } from '../store/turn-fold.ts'

/** Shows events that a client missed, up to the head of a snapshot. */
export interface Replay {
  show(event: StoredEvent): Promise<readonly Shown[]>
  /** After the last event. */
  finish(): Promise<readonly Shown[]>
}

export function replayOf(mode: PatchMode, { session_id, snapshot, loadTurn }: ReplayOptions): Replay {
  return mode === 'sync' ? new SyncReplay(session_id, snapshot, loadTurn) : plainReplay
}

export type ReplayOptions = { session_id: string; snapshot: Snapshot; loadTurn: LoadTurn }

/** As they lie in the journal: in a replay, full values may be left out. */
const plainReplay: Replay = {
  show: async (event) => [shownOf(event)].filter((shown) => shown !== undefined),
  finish: async () => [],
}

/** Instead of a turn's missed patches, one snapshot of it: before the run's end at the latest, if no `turn:end` comes. */
class SyncReplay implements Replay {
  readonly #at: { session_id: string; head: number }
  readonly #fold: TurnFold
  readonly #loadTurn: LoadTurn
  readonly #patched = new Map<string, StoredEvent>()

  constructor(session_id: string, { head, open }: Snapshot, loadTurn: LoadTurn) {
    this.#at = { session_id, head }
    this.#fold = new TurnFold(open)
    this.#loadTurn = loadTurn
  }

  async show(event: StoredEvent): Promise<readonly Shown[]> {
    const shown = shownOf(event)
    if (!shown) return []
    if (event.type === 'turn:patch') {
      this.#patched.set(event.turn_id!, event)
      return []
    }
    if (event.type === 'turn:end') this.#patched.delete(event.turn_id!)
    return event.type === 'chat:end' ? [...(await this.#takePatched()), shown] : [shown]
  }

  async finish(): Promise<readonly Shown[]> {
    const { session_id, head } = this.#at
    const patched = await this.#takePatched()
    // Also those without a missed patch: the client may have left while a snapshot was held back.
    return [...patched, ...this.#fold.streaming.map((turn) => syncOf(session_id, head, turn))]
  }

  async #takePatched(): Promise<Shown[]> {
    const patched = [...this.#patched.values()].filter(({ turn_id }) => !this.#fold.find(turn_id!))
    this.#patched.clear()
    const syncs = patched.map(async ({ session_id, event_seq, turn_id }) => {
      const turn = await this.#loadTurn(turn_id!)
      return turn && syncOf(session_id, event_seq, turn)
    })
    return (await Promise.all(syncs)).filter((sync) => sync !== undefined)
  }
}

function syncOf(session_id: string, event_seq: number, turn: TurnProjection): Shown {
  const { turn_id, loop_id, patch_sequence } = turn
  return shownPatch({
    session_id,
    event_seq,
    sequence: patch_sequence,
    turn_id,
    loop_id,
    patch_type: 'sync',
    data: { turn },
  })
}
