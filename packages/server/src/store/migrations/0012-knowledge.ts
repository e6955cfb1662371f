import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Db, type Kind, table } from './table.ts'

/** Passages that can be found by what they are about, and the documents that most of them come from. */
export const knowledge = (kind: Kind): Migration => ({
  async up(db: Db) {
    await passages(db, kind)
    await documents(db)
  },
})

/** `relevance/` makes their terms; the engines only index them. */
async function passages(db: Db, kind: Kind): Promise<void> {
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
}

async function documents(db: Db): Promise<void> {
  await table(db, 'knowledge_collections', {
    required: ['id', 'account_id', 'name', 'created_at'],
    texts: ['agents', 'subjects'],
  })
    .addPrimaryKeyConstraint('knowledge_collections_key', ['id'])
    .addUniqueConstraint('knowledge_collections_name', ['account_id', 'name'])
    .execute()
  await table(db, 'knowledge_documents', {
    required: ['id', 'account_id', 'collection_id', 'category', 'metadata', 'ref', 'created_at', 'updated_at'],
    numbers: ['size', 'passages'],
    texts: ['title', 'source', 'digest', 'content'], // the content last, so that reading the others does not pass through it
  })
    .addPrimaryKeyConstraint('knowledge_documents_key', ['id'])
    .addUniqueConstraint('knowledge_documents_source', ['collection_id', 'source'])
    .addUniqueConstraint('knowledge_documents_ref', ['ref'])
    .execute()
  await db.schema
    .createIndex('knowledge_documents_of_account')
    .on('knowledge_documents')
    .columns(['account_id', 'id'])
    .execute()
  // A version of a document: its passages are written before it takes the other's place, and removed after that.
  await table(db, 'knowledge_versions', { required: ['ref', 'space', 'document_id'], numbers: ['at'] })
    .addPrimaryKeyConstraint('knowledge_versions_key', ['ref'])
    .execute()
  // What models were given, by the number that answers name it with.
  await table(db, 'knowledge_sources', {
    required: ['session_id', 'document_id'],
    numbers: ['ref', 'passage_id'],
  })
    .addPrimaryKeyConstraint('knowledge_sources_key', ['session_id', 'ref'])
    .addUniqueConstraint('knowledge_sources_passage', ['session_id', 'passage_id'])
    .execute()
}
