import type { Migration } from 'kysely/migration'
import { type Db, table } from './table.ts'

/** What runs have used, and the audit log in the orders in which it is read. */
export const usage: Migration = {
  async up(db: Db) {
    await db.schema.alterTable('runs').addColumn('key_id', 'text').execute()
    await table(db, 'run_usage', {
      required: ['run_id', 'model', 'account_id', 'outcome'],
      texts: ['key_id'],
      flags: ['is_run'],
      numbers: ['at', 'input_tokens', 'cached_tokens', 'output_tokens', 'waited_ms'],
      optionalNumbers: ['first_token_ms', 'run_ms'],
    })
      .addPrimaryKeyConstraint('run_usage_key', ['run_id', 'model'])
      .execute()
    await index('run_usage', ['at', 'run_id', 'model'])
    await index('run_usage', ['account_id', 'at', 'run_id', 'model'])
    for (const column of ['actor', 'action', 'subject']) await index('audit', [column, 'at', 'id'])
    await index('audit', ['at', 'id'])

    function index(on: string, columns: string[]): Promise<void> {
      return db.schema.createIndex(`${on}_by_${columns[0]}`).on(on).columns(columns).execute()
    }
  },
}
