import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Agents, the versions of their folders, and which of them a session began with. */
export const agents: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('agents')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('digest', 'text')
      .addColumn('changed_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('agents_key', ['name'])
      .execute()
    await db.schema
      .createTable('agent_versions')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('files', 'text', (c) => c.notNull()) // last, so that reading the others does not pass through it
      .addPrimaryKeyConstraint('agent_versions_key', ['name', 'digest'])
      .execute()
    await db.schema.alterTable('sessions').addColumn('agent', 'text').execute()
    await db.schema.alterTable('sessions').addColumn('agent_digest', 'text').execute()
    await sql`CREATE INDEX sessions_of_agent ON sessions (agent, agent_digest) WHERE agent IS NOT NULL`.execute(db)
  },
}
