import { sql } from 'kysely'
import type { Engine } from './engine.ts'
import { queryTokens, searchTokens } from './search-text.ts'
import { type Work, run, runSql } from './work.ts'

export type SearchDocument = { user_id: string; kind: string; parent_id: string; ref: string; text: string }

/**
 * Of a longer text the rest is not found by its words: PostgreSQL takes no more than a megabyte of them, and indexing
 * stops everything else for as long as it takes.
 */
const INDEXED_CHARACTERS = 64_000

/** Puts a text into the index, replacing what was there under the same kind, parent and ref. */
export function* indexDocument(engine: Engine, { user_id, kind, parent_id, ref, text }: SearchDocument): Work<void> {
  const tokens = searchTokens(text.slice(0, INDEXED_CHARACTERS)).join(' ')
  if (engine.kind === 'postgres') {
    yield* runSql(
      `INSERT INTO search_documents (user_id, kind, parent_id, ref, tokens) VALUES (?, ?, ?, ?, to_tsvector('simple', ?))
        ON CONFLICT (kind, parent_id, ref) DO UPDATE SET tokens = excluded.tokens`,
      [user_id, kind, parent_id, ref, tokens],
    )
    return
  }
  const [document] = yield* runSql<{ id: number }>(
    `INSERT INTO search_documents (user_id, kind, parent_id, ref) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, parent_id, ref) DO UPDATE SET user_id = excluded.user_id RETURNING id`,
    [user_id, kind, parent_id, ref],
  )
  yield* runSql('INSERT OR REPLACE INTO search_index (rowid, tokens) VALUES (?, ?)', [document!.id, tokens])
}

/** Removes everything that belongs to a parent. */
export function* dropDocuments(engine: Engine, kind: string, parent_id: string): Work<void> {
  if (engine.kind === 'sqlite')
    yield* runSql(
      'DELETE FROM search_index WHERE rowid IN (SELECT id FROM search_documents WHERE kind = ? AND parent_id = ?)',
      [kind, parent_id],
    )
  yield* runSql('DELETE FROM search_documents WHERE kind = ? AND parent_id = ?', [kind, parent_id])
}

/** Parents with a document that contains every word of the query, best first. A query without a word finds nothing. */
export function* findParents(
  engine: Engine,
  { user_id, kind, query, limit }: { user_id: string; kind: string; query: string; limit: number },
): Work<string[]> {
  const tokens = queryTokens(query)
  if (tokens.length === 0) return []
  const { db } = engine
  const found = db
    .selectFrom('search_documents')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .groupBy('parent_id')
    .limit(limit)
  if (engine.kind === 'postgres') {
    const expression = tokens.map(({ token, isPrefix }) => `'${token}'${isPrefix ? ':*' : ''}`).join(' & ')
    const wanted = sql`to_tsquery('simple', ${expression})`
    const rows = yield* run(
      found
        .select('parent_id')
        .where(sql<boolean>`tokens @@ ${wanted}`)
        .orderBy(sql`max(ts_rank(tokens, ${wanted}))`, 'desc'),
    )
    return rows.map((row) => row.parent_id)
  }
  const expression = tokens.map(({ token, isPrefix }) => `"${token}"${isPrefix ? '*' : ''}`).join(' AND ')
  const matches = sql<{
    id: number
    rank: number
  }>`(SELECT rowid AS id, rank FROM search_index WHERE search_index MATCH ${expression})`
  const rows = yield* run(
    found
      .innerJoin(matches.as('matches'), (join) => join.onRef('matches.id', '=', 'search_documents.id'))
      .select('parent_id')
      .orderBy(sql`min(matches.rank)`),
  )
  return rows.map((row) => row.parent_id)
}
