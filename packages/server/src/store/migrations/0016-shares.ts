import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Links that show a session to whoever has them, and which values must not be seen there. */
export const shares: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('shares')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint')
      .execute()
    await db.schema.createIndex('shares_of_session').on('shares').columns(['session_id', 'created_at']).execute()
    await db.schema
      .createTable('past_secrets')
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('sealed', 'text', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('past_secrets_of_session').on('past_secrets').columns(['session_id', 'at']).execute()
  },
}
