import { AgentError } from '@parley/protocol'
import type { KnowledgeDocument } from '@parley/protocol/rest'
import type { Clock, Ids } from '../ports.ts'
import type { NewPassage } from '../relevance/passage-index.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { demandDocument, findFile } from './document-rows.ts'
import { passagesIn } from './reading/cut-into-passages.ts'
import { spaceOf } from './collections.ts'
import { demandVersion, dropVersion, type Version, writeVersion } from './versions.ts'

export type StoreOptions = { engine: Engine; clock: Clock; ids: Ids }

export type NewDocument = {
  id: string
  account_id: string
  collection_id: string
  category: string
  title: string | null
  content: string
  metadata: object
  source: string | null
  digest: string | null
  /** It takes the place of one that must still be there. */
  isChange: boolean
}

/** An account's documents; the next one is refused by name. */
export const MAX_DOCUMENTS = 100_000

/** Stores a document, or puts another in its place: its passages first, then the row that makes them count. */
export async function storeDocument(document: NewDocument, options: StoreOptions): Promise<KnowledgeDocument> {
  const { engine, clock, ids } = options
  const { id, account_id, collection_id } = document
  await engine.read(() => demandRoom(account_id))
  if (!/\S/.test(document.content)) throw new AgentError('invalid_payload', 'content: there is no text in it.')
  const version: Version = { ref: `${id}.${ids.next('v')}`, space: spaceOf(collection_id), document_id: id }
  try {
    const passages = await writeVersion(engine, version, passagesOf(document))
    const now = new Date(clock.now()).toISOString()
    const { stored, before } = await engine.write(function* () {
      yield* demandVersion(version)
      const replaced = yield* nameVersion(document, { ref: version.ref, passages, now })
      return { stored: yield* demandDocument(account_id, id), before: replaced }
    })
    if (before !== undefined) await dropVersion(engine, { ...version, ref: before })
    return stored
  } catch (error) {
    // What no document names is nobody's; if this fails too, it goes with what crashes left.
    await dropVersion(engine, version).catch(() => undefined)
    throw error
  }
}

function* demandRoom(account_id: string): Work<void> {
  const [row] = yield* runSql<{ n: number }>(
    'SELECT CAST(count(*) AS INTEGER) AS n FROM knowledge_documents WHERE account_id = ?',
    [account_id],
  )
  if ((row?.n ?? 0) >= MAX_DOCUMENTS)
    throw new AgentError('payload_too_large', `An account holds ${MAX_DOCUMENTS} documents; delete some first.`)
}

/** What stands above a passage is found like its text. Cut as they are written: a long text keeps nobody waiting. */
function* passagesOf({ title, category, content }: NewDocument): Generator<NewPassage> {
  for (const { position, headings, text } of passagesIn(content))
    yield { position, head: JSON.stringify([title ?? '', category, ...headings]), text }
}

type Named = { ref: string; passages: number; now: string }

/** Says which version it took the place of. */
function* nameVersion(document: NewDocument, named: Named): Work<string | undefined> {
  const { id, account_id, collection_id, source } = document
  // Two who import one file at once: the first makes the document, the second is told to take that one.
  if (source !== null) {
    const known = yield* findFile(collection_id, source)
    if (known && known.id !== id)
      throw new AgentError('already_exists', `${source} was imported by somebody else at the same time; try again.`)
  }
  if (!document.isChange) return yield* insertDocument(document, named)
  // Two who change it at once wait here for each other: the second takes the place of what the first one wrote.
  const [before] = yield* runSql<{ ref: string }>(
    `UPDATE knowledge_documents SET updated_at = ? WHERE account_id = ? AND id = ? RETURNING ref`,
    [named.now, account_id, id],
  )
  if (!before) yield* demandDocument(account_id, id)
  yield* updateDocument(document, named)
  return before?.ref
}

function* insertDocument(document: NewDocument, { ref, passages, now }: Named): Work<undefined> {
  const { id, account_id, collection_id, category, title, content, metadata, source, digest } = document
  yield* runSql(
    `INSERT INTO knowledge_documents
        (id, account_id, collection_id, category, title, metadata, source, digest, size, passages, ref, content, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[id, account_id, collection_id, category, title, JSON.stringify(metadata), source, digest],
      ...[content.length, passages, ref, content, now, now],
    ],
  )
  return undefined
}

function* updateDocument(document: NewDocument, { ref, passages }: Named): Work<void> {
  const { id, category, title, content, metadata, digest } = document
  yield* runSql(
    `UPDATE knowledge_documents SET category = ?, title = ?, metadata = ?, digest = ?, size = ?, passages = ?, ref = ?,
        content = ? WHERE id = ?`,
    [category, title, JSON.stringify(metadata), digest, content.length, passages, ref, content, id],
  )
}
