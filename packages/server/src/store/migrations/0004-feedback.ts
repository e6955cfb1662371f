import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What people think of answers, and what they might ask next. */
export const feedback: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('feedback')
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('turn_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn('comment', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('feedback_key', ['session_id', 'turn_id'])
      .execute()
    await db.schema.createIndex('feedback_of_user').on('feedback').columns(['user_id', 'created_at']).execute()
    await db.schema
      .createTable('suggestions')
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('turn_id', 'text', (c) => c.notNull())
      .addColumn('items', 'text')
      .addColumn('claim', 'text', (c) => c.notNull())
      .addColumn('claimed_until', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('suggestions_key', ['session_id', 'turn_id'])
      .execute()
  },
}
