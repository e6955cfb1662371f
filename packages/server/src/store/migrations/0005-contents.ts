import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What models were given, each text once in a session, by its digest. */
export const contents: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('contents')
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('packed', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('contents_key', ['session_id', 'digest'])
      .execute()
    await sql`CREATE INDEX events_of_model_input ON events (session_id, event_seq) WHERE type = 'run:model_input'`.execute(
      db,
    )
  },
}
