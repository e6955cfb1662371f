import { runSql, type Work } from './work.ts'

export type BucketRow = { bucket: string; sealed: string }

/** A user's buckets, in the order of their names: of two that have the same variable, the later one counts. */
export function* bucketsOf(user_id: string): Work<BucketRow[]> {
  const rows = yield* runSql<BucketRow>('SELECT bucket, sealed FROM env_buckets WHERE user_id = ?', [user_id])
  // Not by the database: each has an order of its own.
  return rows.sort((a, b) => (a.bucket < b.bucket ? -1 : 1))
}

export function* putBucket(user_id: string, bucket: string, sealed: string): Work<void> {
  yield* keepOldValues(user_id, bucket)
  yield* runSql(
    `INSERT INTO env_buckets (user_id, bucket, sealed) VALUES (?, ?, ?)
      ON CONFLICT (user_id, bucket) DO UPDATE SET sealed = excluded.sealed`,
    [user_id, bucket, sealed],
  )
}

/** `false` when there is none. */
export function* dropBucket(user_id: string, bucket: string): Work<boolean> {
  yield* keepOldValues(user_id, bucket)
  const rows = yield* runSql('DELETE FROM env_buckets WHERE user_id = ? AND bucket = ? RETURNING bucket', [
    user_id,
    bucket,
  ])
  return rows.length > 0
}

/** Any session of the user may show them: they stay masked where it leaves the server. */
function* keepOldValues(user_id: string, bucket: string): Work<void> {
  yield* runSql(
    `INSERT INTO past_secrets (session_id, at, sealed) SELECT s.id, now_ms(), b.sealed FROM sessions s
      JOIN env_buckets b ON b.user_id = s.user_id WHERE b.user_id = ? AND b.bucket = ?`,
    [user_id, bucket],
  )
}
