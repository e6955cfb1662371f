import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** What is told of a run afterwards: which one it goes on with, since when it waited, and how often it was taken over. */
export const runHistory: Migration = {
  async up(db: Db) {
    await db.schema.alterTable('runs').addColumn('continues', 'text').execute()
    await db.schema.alterTable('runs').addColumn('paused_at', 'bigint').execute()
    for (const column of ['recoveries', 'handed_back'])
      await db.schema
        .alterTable('runs')
        .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
        .execute()
    await db.schema.createIndex('runs_in_order').on('runs').columns(['session_id', 'first_seq']).execute()
  },
}
