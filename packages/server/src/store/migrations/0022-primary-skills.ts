import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** The skill that a session began with, as it was then. */
export const primarySkills: Migration = {
  async up(db: Db) {
    await db.schema.alterTable('sessions').addColumn('primary_skill', 'text').execute()
  },
}
