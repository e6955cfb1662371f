import type { ParleyClient } from '@parley/client'
import type { DocumentEntry } from '@parley/protocol/rest'
import type { FoundFile } from './find-files.ts'
import { isAway, persist } from './persist.ts'
import { readBounded } from './read-file.ts'

type Knowledge = ParleyClient['knowledge']

export type ImportOptions = {
  knowledge: Knowledge
  collection: string
  /** For all of them; else each has its own. */
  category?: string | undefined
  patienceMs?: number
  onFile: (file: FoundFile, outcome: Outcome) => void
  /** The server went away; it is waited for. */
  onAway: () => void
  sayTooLarge: (megabytes: number) => string
}

export type Outcome = { status: 'added' | 'changed' | 'unchanged' } | { status: 'failed'; reason: string }

/** As much as the server takes. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024
const AT_ONCE = 3
const PATIENCE_MS = 60_000
/** Reading a document has a limit of its own on the server; this is for one that stands still. */
const FILE_MS = 180_000

/** What the server has of a collection, by what it calls it. */
export async function listSources(knowledge: Knowledge, collection: string): Promise<Map<string, DocumentEntry>> {
  const known = new Map<string, DocumentEntry>()
  for (let cursor: string | undefined; ;) {
    const page = await knowledge.list({ collection, limit: 200, ...(cursor && { cursor }) })
    for (const entry of page.items) if (entry.source !== null) known.set(entry.source, entry)
    cursor = page.nextCursor
    if (cursor === undefined) return known
  }
}

/** Sends what is new or changed, a few at a time. A file that cannot be had or read is told, and the others go on. */
export async function importFiles(
  files: readonly FoundFile[],
  known: ReadonlyMap<string, DocumentEntry>,
  options: ImportOptions,
): Promise<void> {
  const left = [...files].reverse()
  const one = async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop())
      options.onFile(file, await importOne(file, known.get(file.source), options))
  }
  const all = Array.from({ length: AT_ONCE }, one)
  try {
    await Promise.all(all)
  } finally {
    // When one gives up, the others finish what they have and take no more.
    left.length = 0
    await Promise.allSettled(all)
  }
}

async function importOne(
  file: FoundFile,
  known: DocumentEntry | undefined,
  { knowledge, collection, category, patienceMs = PATIENCE_MS, onAway, sayTooLarge }: ImportOptions,
): Promise<Outcome> {
  try {
    const read = await readBounded(file.path, MAX_FILE_BYTES)
    if (!read) return { status: 'failed', reason: sayTooLarge(MAX_FILE_BYTES / 1024 / 1024) }
    // A category that somebody has changed since stays, unless this call names one.
    const isSame = known?.digest === read.digest && (category === undefined || known.category === category)
    if (isSame) return { status: 'unchanged' }
    const query = { source: file.source, collection, category: category ?? known?.category ?? file.category }
    const send = () => knowledge.addFile(read.bytes, query, { signal: AbortSignal.timeout(FILE_MS) })
    return { status: (await persist(send, { patienceMs, onAway })).status }
  } catch (error) {
    // Without a server, or without a key for it, the other files cannot be sent either.
    if (isAway(error) || (error as { status?: number }).status === 401) throw error
    return { status: 'failed', reason: (error as Error).message }
  }
}
