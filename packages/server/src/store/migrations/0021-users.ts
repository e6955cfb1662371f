import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Members beside the owner: who invited them, how they come in, and what each of them keeps for themselves. */
export const users: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['invited_by', 'joined_at', 'removed_at', 'issuer', 'issuer_subject'])
      await db.schema.alterTable('users').addColumn(column, 'text').execute()
    // Whoever came by link has neither; nulls are equal to nothing on both engines.
    await db.schema.createIndex('users_of_issuer').on('users').columns(['issuer', 'issuer_subject']).unique().execute()
    await db.schema
      .createTable('env_buckets')
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('bucket', 'text', (c) => c.notNull())
      .addColumn('sealed', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('env_buckets_key', ['user_id', 'bucket'])
      .execute()
    await db.schema
      .createTable('preferences')
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('preferences_key', ['user_id', 'key'])
      .execute()
    await db.schema
      .createTable('session_extras')
      .addColumn('session_id', 'text', (c) => c.primaryKey())
      .addColumn('extra', 'text', (c) => c.notNull())
      .addColumn('created_at', 'text', (c) => c.notNull())
      .addColumn('updated_at', 'text', (c) => c.notNull())
      .execute()
  },
}
