import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What memories are found, merged and replaced by. The table itself is as old as the first release; nothing was in it. */
export const memories: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['folded', 'fingerprint', 'claim'])
      await db.schema.alterTable('memories').addColumn(column, 'text').execute()
    for (const column of ['fingerprint', 'claim', 'superseded_by'])
      await db.schema.createIndex(`memories_by_${column}`).on('memories').columns(['user_id', column]).execute()
  },
}
