import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Somebody's last calls of tools, found without reading all that was ever recorded. */
export const toolRuns: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE INDEX audit_tool_runs ON audit (actor, at) WHERE action = 'tool.run'`.execute(db)
  },
}
