import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Tools in a product's backend that were made over REST, and the calls that backends are or were asked. */
export const httpTools: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('http_tools')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('http_tools_key', ['name'])
      .execute()
    await db.schema
      .createTable('http_tool_calls')
      .addColumn('call_id', 'text', (c) => c.notNull())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('accepted_at', 'bigint')
      .addColumn('output', 'text')
      .addColumn('digest', 'text')
      .addPrimaryKeyConstraint('http_tool_calls_key', ['call_id'])
      .execute()
    await db.schema.createIndex('http_tool_calls_of_session').on('http_tool_calls').column('session_id').execute()
  },
}
