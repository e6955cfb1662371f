import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** From when on what a product signed for a visitor counts: such tokens have no rows that could be deleted. */
export const revokedSubjects: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('revoked_before', 'bigint').execute()
  },
}
