import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** What schedules need beside the tables of the first release. */
export const schedules: Migration = {
  async up(db: Db) {
    const { schema } = db
    await schema
      .alterTable('schedules')
      .addColumn('version', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('schedules').addColumn('consent', 'text').execute()
    await schema.createIndex('schedules_of_user').on('schedules').columns(['user_id', 'created_at', 'id']).execute()
    await schema.alterTable('slots').addColumn('run_id', 'text').execute()
    await schema
      .alterTable('slots')
      .addColumn('is_manual', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('slots').addColumn('slots_before', 'bigint').execute()
    // Few, however many there were.
    await sql`CREATE INDEX slots_running ON slots (task_id) WHERE fate = 'running'`.execute(db)
    await sql`CREATE INDEX slots_running_in ON slots (session_id) WHERE fate = 'running'`.execute(db)
  },
}
