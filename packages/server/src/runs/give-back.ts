import { handBack, type Lease } from '../store/gate.ts'
import { runSql, type Work } from '../store/work.ts'

/** Leaves a run for anybody to carry on at once. In good order: whoever takes it does not count as a take-over. */
export function* giveBack(lease: Lease): Work<void> {
  if (yield* handBack(lease)) yield* runSql('UPDATE runs SET takeovers = takeovers - 1 WHERE id = ?', [lease.run_id])
}
