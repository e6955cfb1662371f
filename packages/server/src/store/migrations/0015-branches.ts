import type { Migration } from 'kysely/migration'
import { type Db, table } from './table.ts'

/** The courses that a conversation has taken, and which turns are not part of the one that is being talked on. */
export const branches: Migration = {
  async up(db: Db) {
    await table(db, 'branches', {
      required: ['session_id', 'branch_id', 'path'],
      texts: ['files'],
      flags: ['active'],
      numbers: ['first_sequence', 'created_at'],
    })
      .addPrimaryKeyConstraint('branches_key', ['session_id', 'branch_id'])
      .execute()
    await db.schema
      .alterTable('turns')
      .addColumn('deprecated', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
  },
}
