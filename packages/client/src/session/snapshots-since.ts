import type { EventPayload, Projection, TurnProjection } from '@parley/protocol'
import { copyOf } from './fill-patch.ts'

/** Listeners on the socket missed the patches that led here; a snapshot per changed turn brings them up to date. */
export function snapshotsSince(
  before: readonly TurnProjection[],
  { turns, event_seq }: Projection,
  session_id: string,
): EventPayload<'turn:patch'>[] {
  const known = new Map(before.map((turn) => [turn.turn_id, turn]))
  const isChanged = ({ turn_id, patch_sequence, status }: TurnProjection) => {
    const old = known.get(turn_id)
    return old?.patch_sequence !== patch_sequence || old?.status !== status
  }
  return turns.filter(isChanged).map((turn) => {
    const { turn_id, loop_id, patch_sequence } = turn
    const envelope = { session_id, event_seq, sequence: patch_sequence ?? 0, turn_id, loop_id }
    return { ...envelope, patch_type: 'sync', data: { turn: copyOf(turn) } }
  })
}
