import type { Snapshot } from '../store/journal.ts'
import { readEvent } from '../store/stored-event.ts'
import type { StoredEvent } from '../store/work.ts'
import type { Shown } from './shown.ts'
import { TurnFold } from '../store/turn-fold.ts'

/** What somebody who comes in the middle of a run is shown first: that it runs, and its unfinished turns so far. */
export function pictureOf(session_id: string, { head, run_id, open }: Snapshot): Shown[] {
  if (run_id === null) return []
  const envelope = { session_id, event_seq: head, replayed: true }
  const starts = new Map(open.filter(({ type }) => type === 'turn:start').map((event) => [event.turn_id, event]))
  const turns = new TurnFold(open).streaming.map((turn) => ({
    // What only the event says, such as the solution, comes from the event.
    ...payloadOf(starts.get(turn.turn_id)),
    ...turn,
    ...envelope,
  }))
  return [
    { name: 'chat:start', event_seq: head, payload: JSON.stringify({ ...envelope, run_id }) },
    ...turns.map((turn): Shown => ({ name: 'turn:start', event_seq: head, payload: JSON.stringify(turn) })),
  ]
}

function payloadOf(event: StoredEvent | undefined): object {
  return (event && readEvent(event)?.payload) ?? {}
}
