import { AgentError } from '@parley/protocol'
import type { KnowledgeDocument } from '@parley/protocol/rest'
import type { Clock, Ids } from '../ports.ts'
import type { NewPassage } from '../relevance/passage-index.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { demandDocument, findFile } from './document-rows.ts'
import { cutIntoPassages } from './reading/cut-into-passages.ts'
import { spaceOf } from './collections.ts'
import { demandVersion, dropOldVersions, type Version, writeVersion } from './versions.ts'

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
}

/** An account's documents; the next one is refused by name. */
export const MAX_DOCUMENTS = 100_000

/** Stores a document, or puts another in its place: its passages first, then the row that makes them count. */
export async function storeDocument(document: NewDocument, options: StoreOptions): Promise<KnowledgeDocument> {
  const { engine, clock, ids } = options
  const { id, account_id, collection_id } = document
  await engine.read(() => demandRoom(account_id))
  const passages = passagesOf(document)
  if (passages.length === 0) throw new AgentError('invalid_payload', 'content: there is no text in it.')
  const version: Version = { ref: `${id}.${ids.next('v')}`, space: spaceOf(collection_id), document_id: id }
  await writeVersion(engine, version, passages)
  const now = new Date(clock.now()).toISOString()
  const stored = await engine.write(function* () {
    yield* demandVersion(version)
    yield* nameVersion(document, { ref: version.ref, passages: passages.length, now })
    return yield* demandDocument(account_id, id)
  })
  await dropOldVersions(engine, id)
  return stored
}

function* demandRoom(account_id: string): Work<void> {
  const [row] = yield* runSql<{ n: number }>(
    'SELECT CAST(count(*) AS INTEGER) AS n FROM knowledge_documents WHERE account_id = ?',
    [account_id],
  )
  if ((row?.n ?? 0) >= MAX_DOCUMENTS)
    throw new AgentError('payload_too_large', `An account holds ${MAX_DOCUMENTS} documents; delete some first.`)
}

/** What stands above a passage is found like its text. */
function passagesOf({ title, category, content }: NewDocument): NewPassage[] {
  return cutIntoPassages(content).map(({ position, headings, text }) => ({
    position,
    head: JSON.stringify([title ?? '', category, ...headings]),
    text,
  }))
}

type Named = { ref: string; passages: number; now: string }

function* nameVersion(document: NewDocument, { ref, passages, now }: Named): Work<void> {
  const { id, account_id, collection_id, category, title, content, metadata, source, digest } = document
  // Two who import one file at once: the first makes the document, the second is told to take that one.
  if (source !== null) {
    const known = yield* findFile(collection_id, source)
    if (known && known.id !== id)
      throw new AgentError('already_exists', `${source} was imported by somebody else at the same time; try again.`)
  }
  yield* runSql(
    `INSERT INTO knowledge_documents
        (id, account_id, collection_id, category, title, metadata, source, digest, size, passages, ref, content, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET category = excluded.category, title = excluded.title, metadata = excluded.metadata,
        digest = excluded.digest, size = excluded.size, passages = excluded.passages, ref = excluded.ref,
        content = excluded.content, updated_at = excluded.updated_at`,
    [
      ...[id, account_id, collection_id, category, title, JSON.stringify(metadata), source, digest],
      ...[content.length, passages, ref, content, now, now],
    ],
  )
}
