import { type Append, type Appended, storeEvents } from '../append.ts'
import { moveHeads } from '../gate.ts'
import type { Work } from '../work.ts'

/**
 * The appends of a commit, at most one a session, each under its epoch: one statement moves all gates, then come the rows.
 * Those rows go one by one: an insert of many rows keeps a journal of its own, which costs more than it saves. Gives
 * what became of each session's; one that is not there was fenced, and wrote nothing.
 */
export function* appendGroup(appends: readonly Append[], now: number): Work<Map<string, Appended>> {
  const gates = new Map((yield* moveHeads(appends, now)).map((gate) => [gate.session_id, gate]))
  const stored = new Map<string, Appended>()
  for (const append of appends) {
    const gate = gates.get(append.session_id)
    if (gate) stored.set(append.session_id, yield* storeEvents(append, gate))
  }
  return stored
}
