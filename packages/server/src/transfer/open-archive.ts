import { crc32 } from 'node:zlib'
import { AgentError } from '@parley/protocol'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { entryProblem, isDirectory } from './entry-problem.ts'

const MiB = 1024 * 1024

/** [W12.6] What an archive may hold. Its own size is a limit of the upload. */
const LIMITS = { bytes: 200 * MiB, files: 500, entries: 2_000 }
/** What is large and shrinks more than this was made to fill a disk. */
const MAX_RATIO = 200
const SMALL_BYTES = 20 * MiB
const LOCAL_HEADER_BYTES = 30

export type ArchiveEntry = { name: string; bytes: number; isDirectory: boolean }

/** An archive whose directory was looked through. Reading an entry checks that it is what the directory says. */
export type Archive = Disposable & {
  entries: readonly ArchiveEntry[]
  /** Unpacked. */
  bytes: number
  has: (name: string) => boolean
  read: (name: string) => AsyncGenerator<Buffer>
}

/** Says no to everything that an export would not have written, by the name of what is wrong, before a byte is unpacked. */
export async function openArchive(path: string): Promise<Archive> {
  using parts = new DisposableStack()
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true, validateEntrySizes: true }
  const zip = await openPromise(path, options).catch(unreadable)
  // Whatever it says later is said to whoever reads.
  zip.on('error', () => undefined)
  parts.defer(() => zip.close())
  const known = await readDirectory(zip)
  const files = [...known.values()]
  const kept = parts.move()
  return {
    entries: files.map((entry) => ({
      name: entry.fileName,
      bytes: entry.uncompressedSize,
      isDirectory: isDirectory(entry.fileName),
    })),
    bytes: sum(files.map(({ uncompressedSize }) => uncompressedSize)),
    has: (name) => known.has(name),
    async *read(name) {
      const entry = known.get(name)
      if (!entry) throw refusal(`The archive has no ${name}.`)
      yield* unpacked(zip, entry)
    },
    [Symbol.dispose]: () => kept.dispose(),
  }
}

async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > LIMITS.entries) throw refusal(`The archive has more than ${LIMITS.entries} entries.`)
  const known = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry
      const problem = entryProblem(entry) ?? (known.has(fileName) ? 'stands there twice' : undefined)
      if (problem !== undefined) throw refusal(`${JSON.stringify(fileName)} ${problem}.`)
      known.set(fileName, entry)
    }
  } catch (error) {
    unreadable(error)
  }
  demandSizes([...known.values()])
  demandTree([...known.keys()])
  demandApart([...known.values()])
  return known
}

function demandSizes(entries: readonly Entry[]): void {
  const files = entries.filter(({ fileName }) => !isDirectory(fileName))
  if (files.length > LIMITS.files)
    throw refusal(`The archive has ${files.length} files; at most ${LIMITS.files} are taken.`)
  const bytes = sum(entries.map(({ uncompressedSize }) => uncompressedSize))
  if (bytes > LIMITS.bytes)
    throw refusal(`The archive has ${bytes} bytes when it is unpacked; at most ${LIMITS.bytes} are taken.`)
  const packed = sum(entries.map(({ compressedSize }) => compressedSize))
  if (bytes > SMALL_BYTES && bytes > packed * MAX_RATIO)
    throw refusal(`The archive is packed more than ${MAX_RATIO} to 1.`)
}

/** No name is a file and a directory. */
function demandTree(names: readonly string[]): void {
  const files = new Set(names.filter((name) => !isDirectory(name)))
  for (const name of names) {
    const above = name.split('/').slice(0, -1)
    const clash = above.map((_, index) => above.slice(0, index + 1).join('/')).find((path) => files.has(path))
    if (clash !== undefined) throw refusal(`${JSON.stringify(clash)} is a file and a directory.`)
  }
}

/** Entries that share their bytes make much of little. */
function demandApart(entries: readonly Entry[]): void {
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  for (const [index, { fileName, relativeOffsetOfLocalHeader: from, compressedSize }] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next && from + LOCAL_HEADER_BYTES + compressedSize > next.relativeOffsetOfLocalHeader)
      throw refusal(`${JSON.stringify(fileName)} lies over another entry.`)
  }
}

/** A reader that stops early closes the stream: what is thrown in here is the stream's own. */
async function* unpacked(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await zip.openReadStreamPromise(entry).catch(unreadable)
  let found = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      found = crc32(chunk, found)
      yield chunk
    }
  } catch (error) {
    unreadable(error)
  }
  if (found !== entry.crc32) throw refusal(`${JSON.stringify(entry.fileName)} is damaged.`)
}

export function refusal(message: string): AgentError {
  return new AgentError('invalid_payload', message)
}

/** The reader's own words name what is wrong; ours pass. */
function unreadable(error: unknown): never {
  if (error instanceof AgentError) throw error
  throw refusal(`The archive cannot be read: ${error instanceof Error ? error.message : String(error)}`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
