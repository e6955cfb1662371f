import type { Migration } from 'kysely/migration'
import { type Db, type Kind, table } from './table.ts'

/** What a user's buckets held before, once for all of their sessions. */
export const pastBuckets = (kind: Kind): Migration => ({
  async up(db: Db) {
    await table(db, 'past_buckets', {
      required: ['user_id', 'sealed'],
      numbers: ['at', 'size'],
      generatedId: kind,
    }).execute()
    await db.schema.createIndex('past_buckets_of_user').on('past_buckets').columns(['user_id', 'id']).execute()
  },
})
