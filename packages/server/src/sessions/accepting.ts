import { findAccepted } from '../runs/accept/idempotency.ts'
import type { Acceptance, AcceptOptions } from '../runs/accept/request.ts'
import type { PointHook } from '../runs/points.ts'
import type { Runs } from '../runs/runs.ts'
import type { Work } from '../store/work.ts'
import type { Accepted } from './service.ts'

export type AcceptingOptions = AcceptOptions & {
  runs: Runs
  /** Called around every commit point; only tests give one that does something. */
  at?: PointHook
}

type Accepting = {
  session_id: string
  point: 'C1' | 'C8'
  /** Stores it, with a run of this id where it starts one. */
  work: (run_id: string) => Work<Acceptance>
}

/** Stores a message or an answer, once, and sees to it that its run goes on: here, or with whoever has it. */
export async function accept(
  { session_id, point, work }: Accepting,
  { engine, ids, runs, owner, at }: AcceptingOptions,
): Promise<Accepted> {
  const run_id = ids.next('chat')
  const sentAt = runs.now()
  await at?.(`before:${point}`)
  const acceptance = await engine.write(() => work(run_id), {
    confirm: () => findAccepted({ session_id, run_id }, owner),
  })
  await at?.(`after:${point}`)
  if (acceptance.lease) runs.begin(acceptance.lease, sentAt, true)
  else runs.tellOwner(session_id)
  return acceptedOf(session_id, acceptance)
}

export function acceptedOf(session_id: string, { lease: _lease, ...acceptance }: Acceptance): Accepted {
  return { session_id, ...acceptance }
}
