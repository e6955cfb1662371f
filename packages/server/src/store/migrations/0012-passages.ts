import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Db, type Kind, table } from './table.ts'

/** Passages that can be found by what they are about: `relevance/` makes their terms, the engines only index them. */
export const passages = (kind: Kind): Migration => ({
  async up(db: Db) {
    await table(db, 'passages', {
      required: ['space', 'ref'],
      numbers: ['position'],
      texts: ['head', 'text'],
      generatedId: kind,
    }).execute()
    await db.schema.createIndex('passages_of_ref').on('passages').columns(['space', 'ref', 'position']).execute()
    await table(db, 'passage_terms', { required: ['space', 'term'], numbers: ['passages'] })
      .addPrimaryKeyConstraint('passage_terms_key', ['space', 'term'])
      .execute()
    await db.schema
      .createTable('passage_vectors')
      .addColumn('passage_id', 'bigint', (c) => c.primaryKey())
      .addColumn('space', 'text', (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('vector', kind === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('passage_vectors_of_space').on('passage_vectors').columns(['space', 'model']).execute()
    if (kind === 'sqlite') {
      await sql`CREATE VIRTUAL TABLE passage_index USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`.execute(
        db,
      )
      return
    }
    await sql`ALTER TABLE passages ADD COLUMN terms tsvector NOT NULL DEFAULT ''`.execute(db)
    await sql`CREATE INDEX passages_terms ON passages USING gin (terms)`.execute(db)
  },
})
