import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A product's visitors: users inside an account, known by the product's own id, and the tokens they come in with. */
export const subjects: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('account_id', 'text').execute()
    await db.schema.alterTable('users').addColumn('external_id', 'text').execute()
    // Those of the account itself have neither; nulls are equal to nothing on both engines.
    await db.schema
      .createIndex('users_of_account')
      .on('users')
      .columns(['account_id', 'external_id'])
      .unique()
      .execute()
    await db.schema
      .createTable('visitor_tokens')
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('visitor_tokens_key', ['id'])
      .execute()
    for (const column of ['account_id', 'user_id', 'key_id', 'expires_at'])
      await db.schema.createIndex(`visitor_tokens_by_${column}`).on('visitor_tokens').column(column).execute()
    // An inbox of the whole account looks for everybody's.
    await db.schema.createIndex('confirmations_of_user').on('confirmations').column('user_id').execute()
  },
}
