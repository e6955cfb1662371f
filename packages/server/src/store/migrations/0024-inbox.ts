import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** What people who decide are shown, what they said, and how far they have seen their sessions. */
export const inbox: Migration = {
  async up(db: Db) {
    for (const column of ['display_name', 'asked_after', 'why', 'change', 'decision_reason'])
      await db.schema.alterTable('confirmations').addColumn(column, 'text').execute()
    await db.schema
      .createIndex('confirmations_decided')
      .on('confirmations')
      .columns(['user_id', 'status', 'decided_at'])
      .execute()
    await db.schema.createIndex('sessions_by_status').on('sessions').columns(['user_id', 'status']).execute()
    await db.schema
      .createTable('seen_marks')
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('event_seq', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('seen_marks_key', ['session_id', 'user_id'])
      .execute()
  },
}
