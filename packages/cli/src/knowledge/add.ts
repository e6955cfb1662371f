import type { ParleyClient } from '@parley/client'
import type { DocumentEntry } from '@parley/protocol/rest'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { findFiles, type FoundFiles, TooManyFilesError } from './find-files.ts'
import { importFiles, listSources } from './import-files.ts'
import type { Summary } from './knowledge-words.ts'
import { persist } from './persist.ts'
import { Progress } from './progress.ts'

export type AddOptions = {
  path: string
  collection: string
  category?: string | undefined
  deletesMissing: boolean
  json: boolean
}

const MOST_FILES = 10_000

/** Makes the collection what the directory is: adds what is new, replaces what changed, and tells what is gone. */
export async function addDocuments(
  { knowledge }: ParleyClient,
  options: AddOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { collection, category, json } = options
  const { words, output, errors } = terminal
  const found = await findOrExplain(options.path, terminal)
  const known = await listSources(knowledge, collection)
  const sum: Summary = { added: 0, changed: 0, unchanged: 0, failed: 0, missing: 0, deleted: 0 }
  const failed: { source: string; reason: string }[] = []
  const progress = new Progress(terminal, { all: found.files.length + found.unread.length, isQuiet: json })
  const onFile: Parameters<typeof importFiles>[2]['onFile'] = (file, outcome) => {
    sum[outcome.status] += 1
    if (outcome.status === 'failed') failed.push({ source: file.source, reason: outcome.reason })
    progress.file(file, outcome)
  }
  const onAway = () => progress.away()
  try {
    for (const { source, reason } of found.unread)
      onFile(
        { source, path: source, category: '', size: 0 },
        { status: 'failed', reason: `${words.knowledge.unread}: ${reason}` },
      )
    const sayTooLarge = words.knowledge.tooLarge
    await importFiles(found.files, known, { knowledge, collection, category, onFile, onAway, sayTooLarge })
  } finally {
    progress.end()
  }
  failed.sort((one, other) => (one.source < other.source ? -1 : 1))
  const missing = missingFrom(found, known)
  sum.missing = missing.length
  // What lies in a folder that could not be read only seems to be gone.
  const mayDelete = options.deletesMissing && found.unread.length === 0
  if (mayDelete)
    for (const { id } of missing) {
      await persist(() => knowledge.delete(id), { patienceMs: 60_000, onAway })
      sum.deleted += 1
    }
  if (json) output.write(`${JSON.stringify({ ...sum, failed, left_out: found.leftOut })}\n`)
  else output.write(`${report({ sum, found, options }, terminal)}\n`)
  if (options.deletesMissing && !mayDelete) errors.write(`${words.knowledge.keptMissing}\n`)
  return sum.failed > 0 ? EXIT.failed : EXIT.ok
}

async function findOrExplain(path: string, { words }: Terminal): Promise<FoundFiles> {
  const found = await findFiles(path, MOST_FILES).catch((error: unknown) => {
    const said = words.knowledge
    if (error instanceof TooManyFilesError) throw new CommandError(EXIT.usage, said.tooMany(path, MOST_FILES))
    throw new CommandError(EXIT.usage, said.noSuchPath(path), { cause: error })
  })
  // Also the wrong directory, or one that is not mounted: nothing is taken for gone because of it.
  if (found.files.length + found.unread.length === 0) throw new CommandError(EXIT.failed, words.knowledge.noFiles(path))
  return found
}

/** A single file says nothing about the others. */
function missingFrom(found: FoundFiles, known: ReadonlyMap<string, DocumentEntry>): DocumentEntry[] {
  if (!found.isDirectory) return []
  const there = new Set(found.files.map(({ source }) => source))
  return [...known].filter(([source]) => !there.has(source)).map(([, entry]) => entry)
}

type Report = { sum: Summary; found: FoundFiles; options: AddOptions }

function report({ sum, found: { leftOut }, options }: Report, { words: { knowledge: said } }: Terminal): string {
  const lines = [said.done(sum)]
  if (leftOut.hidden + leftOut.links + leftOut.kinds > 0) lines.push(said.leftOut(leftOut))
  if (sum.deleted > 0) lines.push(said.deletedMissing(sum.deleted))
  else if (sum.missing > 0 && !options.deletesMissing) lines.push(said.missing(sum.missing))
  return lines.join('\n')
}
