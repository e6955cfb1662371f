import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What clients of other protocols call their sessions and runs. */
export const aliases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('aliases')
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text', (c) => c.notNull())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('run_id', 'text')
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('aliases_key', ['user_id', 'kind', 'external_id'])
      .execute()
    await db.schema.createIndex('aliases_of_session').on('aliases').column('session_id').execute()
  },
}
