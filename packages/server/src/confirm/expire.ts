import type { Engine } from '../store/engine.ts'
import { type LockedGate, lockGate } from '../store/gate.ts'
import type { Work } from '../store/work.ts'
import { type ConfirmationRow, dueConfirmations, expireConfirmation } from './confirmations.ts'

export type ExpiryOptions = {
  engine: Engine
  /** Tells the call behind it, in the same transaction. `true`: a run under way has something to apply. */
  reach: (expired: ConfirmationRow, gate: LockedGate) => Work<boolean>
  tellOwner: (session_id: string) => void
}

const PER_SWEEP = 100

/** Ends confirmations whose time is over, each once, whoever else sweeps. Returns how many were due. */
export async function expireConfirmations({ engine, reach, tellOwner }: ExpiryOptions): Promise<number> {
  const due = await engine.read(() => dueConfirmations(PER_SWEEP))
  // One after another, and each for itself: one that cannot be ended must not keep the others waiting.
  const failures: unknown[] = []
  for (const one of due)
    try {
      if (await engine.write(() => expireOne(one, reach))) tellOwner(one.session_id)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} confirmations could not be expired.`)
  return due.length
}

function* expireOne(
  { id, session_id }: Pick<ConfirmationRow, 'id' | 'session_id'>,
  reach: ExpiryOptions['reach'],
): Work<boolean> {
  const gate = yield* lockGate(session_id)
  const expired = yield* expireConfirmation(id)
  return expired ? yield* reach(expired, gate) : false
}
