import type { TurnProjection } from '@parley/protocol'
import type { Place, Replay } from '../../../feed/encoding.ts'
import { TurnFold } from '../../../store/turn-fold.ts'
import type { StoredEvent } from '../../../store/work.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'

/** Instead of a turn's missed patches, one snapshot of it: before the run's end at the latest, if no `turn:end` comes. */
export class SyncReplay implements Replay<Shown> {
  readonly #at: { session_id: string; head: number }
  readonly #fold: TurnFold
  readonly #loadTurn: Place['loadTurn']
  readonly #patched = new Map<string, StoredEvent>()

  constructor({ session_id, snapshot, loadTurn }: Place) {
    this.#at = { session_id, head: snapshot.head }
    this.#fold = new TurnFold(snapshot.open)
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
