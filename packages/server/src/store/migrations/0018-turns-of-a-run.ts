import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** Whatever a run asks of its session's turns is found without a look at all of them, and in their order. */
export const turnsOfARun: Migration = {
  async up(db: Db) {
    await db.schema.createIndex('turns_of_run').on('turns').columns(['session_id', 'run_id', 'sequence']).execute()
    await db.schema.createIndex('turns_by_status').on('turns').columns(['session_id', 'status', 'sequence']).execute()
  },
}
