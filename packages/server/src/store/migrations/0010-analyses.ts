import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Kind, table } from './table.ts'

/** What agents worked out with programs, and the charts that came of it. */
export const analyses = (kind: Kind): Migration => ({
  async up(db: Kysely<unknown>) {
    await table(db, 'analyses', {
      required: ['session_id', 'call_id', 'state', 'memory'],
      numbers: ['created_at', 'updated_at'],
      texts: ['charts'], // last, so that reading the others does not pass through it
      generatedId: kind,
    }).execute()
    await db.schema.createIndex('analyses_of_session').on('analyses').columns(['session_id', 'call_id']).execute()
  },
})
