import type { Migration } from 'kysely/migration'
import type { Db } from './table.ts'

/** Vectors are read page by page in the order of their passages: without it in the index, every page sorts all that is left. */
export const vectorsInOrder: Migration = {
  async up(db: Db) {
    await db.schema
      .createIndex('passage_vectors_in_order')
      .on('passage_vectors')
      .columns(['space', 'model', 'passage_id'])
      .execute()
  },
}
