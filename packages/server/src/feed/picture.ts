import type { SessionEvent } from '@parley/protocol'
import type { Snapshot } from '../store/journal.ts'
import { readEvent } from '../store/stored-event.ts'
import { TurnFold } from '../store/turn-fold.ts'
import type { StoredEvent } from '../store/work.ts'

/** What somebody who comes in the middle of a run is shown first: that it runs, and its unfinished turns so far. */
export function pictureOf(session_id: string, { head, run_id, open }: Snapshot): SessionEvent[] {
  if (run_id === null) return []
  const envelope = { session_id, event_seq: head, replayed: true as const }
  const starts = new Map(open.filter(({ type }) => type === 'turn:start').map((event) => [event.turn_id, event]))
  const turns = new TurnFold(open).streaming.map((turn) => ({
    // What only the event says, such as the solution, comes from the event.
    ...payloadOf(starts.get(turn.turn_id)),
    ...turn,
    ...envelope,
  }))
  return [
    { name: 'chat:start', payload: { ...envelope, run_id } },
    ...turns.map((payload) => ({ name: 'turn:start', payload }) as SessionEvent),
  ]
}

function payloadOf(event: StoredEvent | undefined): object {
  return (event && readEvent(event)?.payload) ?? {}
}
