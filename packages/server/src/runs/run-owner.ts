import { instanceName } from '../store/instances.ts'
import type { OwnerCause } from '../store/run-rows.ts'

/** `run:owner`: whose the run is from here on. It goes with the first append of its epoch, and so costs no commit. */
export type RunOwner = { epoch: number; instance: string; cause: OwnerCause }

export function runOwner({ epoch }: { epoch: number }, owner: string, cause: OwnerCause): RunOwner {
  return { epoch, instance: instanceName(owner), cause }
}
