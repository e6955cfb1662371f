import { runSql, type Work } from './work.ts'

/** How much of what a user's buckets held is remembered; beyond either, the oldest is forgotten. */
export const PAST_BUCKETS = { rows: 500, bytes: 8 * 2 ** 20 } as const

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

/** Any session of the user may show them, so they are kept once for all of them: masked where a session leaves the server. */
function* keepOldValues(user_id: string, bucket: string): Work<void> {
  yield* runSql(
    `INSERT INTO past_buckets (user_id, at, sealed, size) SELECT user_id, now_ms(), sealed, length(sealed) FROM env_buckets
      WHERE user_id = ? AND bucket = ?`,
    [user_id, bucket],
  )
  yield* runSql(
    `DELETE FROM past_buckets WHERE id IN (SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(size) OVER newest AS bytes FROM past_buckets WHERE user_id = ?
        WINDOW newest AS (ORDER BY id DESC)
      ) AS kept WHERE place > ? OR bytes > ?)`,
    [user_id, PAST_BUCKETS.rows, PAST_BUCKETS.bytes],
  )
}
