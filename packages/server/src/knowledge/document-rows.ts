import { AgentError } from '@parley/protocol'
import type { DocumentEntry, KnowledgeDocument } from '@parley/protocol/rest'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

export type DocumentRow = {
  id: string
  collection_id: string
  collection: string
  category: string
  title: string | null
  metadata: string
  source: string | null
  digest: string | null
  size: number
  passages: number
  ref: string
  created_at: string
  updated_at: string
}

const ENTRY = `d.id, d.collection_id, c.name AS collection, d.category, d.title, d.metadata, d.source, d.digest, d.size,
  d.passages, d.ref, d.created_at, d.updated_at`
const DOCUMENTS = 'FROM knowledge_documents d JOIN knowledge_collections c ON c.id = d.collection_id'

export function toEntry(row: DocumentRow): DocumentEntry {
  const { id, category, title, collection, source, digest, size, passages, created_at, updated_at } = row
  const metadata = (readStored(row.metadata) ?? {}) as DocumentEntry['metadata']
  const times = { createdAt: created_at, updatedAt: updated_at }
  return { id, category, title, metadata, collection, source, digest, size, passages, ...times }
}

export function* findDocument(account_id: string, id: string): Work<KnowledgeDocument | undefined> {
  const [row] = yield* runSql<DocumentRow & { content: string }>(
    `SELECT ${ENTRY}, d.content ${DOCUMENTS} WHERE d.account_id = ? AND d.id = ?`,
    [account_id, id],
  )
  return row && { ...toEntry(row), content: row.content }
}

export function* demandDocument(account_id: string, id: string): Work<KnowledgeDocument> {
  const document = yield* findDocument(account_id, id)
  if (!document) throw new AgentError('not_found', `There is no document ${id}.`)
  return document
}

/** The file that was imported under this path. */
export function* findFile(collection_id: string, source: string): Work<DocumentRow | undefined> {
  const [row] = yield* runSql<DocumentRow>(`SELECT ${ENTRY} ${DOCUMENTS} WHERE d.collection_id = ? AND d.source = ?`, [
    collection_id,
    source,
  ])
  return row
}

/** Documents whose passages these are: of the versions that count now. */
export function* documentsOf(refs: readonly string[], category?: string): Work<Map<string, DocumentRow>> {
  if (refs.length === 0) return new Map()
  const places = refs.map(() => '?').join(', ')
  const rows = yield* runSql<DocumentRow>(
    `SELECT ${ENTRY} ${DOCUMENTS} WHERE d.ref IN (${places})${category === undefined ? '' : ' AND d.category = ?'}`,
    [...refs, ...(category === undefined ? [] : [category])],
  )
  return new Map(rows.map((row) => [row.ref, row]))
}

export type Listed = {
  category?: string | undefined
  collection?: string | undefined
  cursor?: string | undefined
  limit: number
}

/** One more than asked for tells that there are more. */
export function* listDocuments(
  account_id: string,
  { category, collection, cursor, limit }: Listed,
): Work<DocumentRow[]> {
  const filters = [
    ['d.category = ?', category],
    ['c.name = ?', collection],
    ['d.id > ?', cursor],
  ].filter(([, value]) => value !== undefined)
  return yield* runSql<DocumentRow>(
    `SELECT ${ENTRY} ${DOCUMENTS} WHERE ${['d.account_id = ?', ...filters.map(([sql]) => sql)].join(' AND ')}
      ORDER BY d.id LIMIT ?`,
    [account_id, ...filters.map(([, value]) => value), limit + 1],
  )
}

export function* categoriesOf(account_id: string): Work<{ name: string; documentCount: number }[]> {
  const rows = yield* runSql<{ name: string; n: number }>(
    `SELECT category AS name, CAST(count(*) AS INTEGER) AS n FROM knowledge_documents WHERE account_id = ?
      GROUP BY category`,
    [account_id],
  )
  // As JavaScript compares them, so that both databases give the same order.
  return rows.map(({ name, n }) => ({ name, documentCount: n })).sort((a, b) => (a.name < b.name ? -1 : 1))
}
