import { AgentError } from '@parley/protocol'
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import type { HeldDirectory } from './files/held-directory.ts'
import { openRegular } from './files/open-file.ts'
import { type TreeEntry, walkTree } from './walk-tree.ts'

const CHUNK_BYTES = 64 * 1024
/** What the plain format can hold, with some room. */
const MAX_ENTRIES = 60_000
const MAX_BYTES = 2 * 1024 ** 3
/** Says in the archive what is not in it. */
const NOTE = 'LEFT-OUT.txt'
const MAX_TOLD = 100
/** The format knows no time outside these. */
const EARLIEST = Date.UTC(1980, 0, 2)
const LATEST = Date.UTC(2099, 11, 30)

/** Throws when the directory is more than one archive can hold. Ask before the first byte is sent. */
export async function demandZippable(directory: HeldDirectory): Promise<void> {
  let entries = 0
  let bytes = 0
  for await (const { stats } of walkTree(directory)) {
    entries++
    if (stats.isFile()) bytes += stats.size
    if (entries > MAX_ENTRIES || bytes > MAX_BYTES)
      throw new AgentError(
        'payload_too_large',
        `The directory is too large for one ZIP (at most ${MAX_ENTRIES} entries and ${MAX_BYTES} bytes). Download its parts.`,
      )
  }
}

/** A file of the archive that lies nowhere. */
export type ZipText = { name: string; chunks: AsyncIterable<string> | Iterable<string> }

export type ZipOptions = {
  /** Come first. */
  texts?: readonly ZipText[]
  /** A directory of the archive for what is in the other one, ending with `/`. Default: none. */
  under?: string
}

/**
 * The archive, piece by piece as it is asked for: one chunk of one file is in memory at a time. What lies too deep is left
 * out, and a last file says so.
 */
export async function* zipDirectory(
  directory: HeldDirectory | undefined,
  { texts = [], under = '' }: ZipOptions = {},
): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = []
  let failure: Error | undefined
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else made.push(chunk)
  })
  const cut: string[] = []
  const add = async function* (adding: AsyncIterable<void>) {
    for await (const _pushed of adding) {
      if (failure) throw failure
      yield* made.splice(0)
    }
  }
  for (const text of texts) yield* add(addText(zip, text))
  for await (const entry of directory ? walkTree(directory) : []) {
    if (entry.isCut && cut.length < MAX_TOLD) cut.push(entry.path)
    yield* add(addEntry(zip, { ...entry, path: under + entry.path }))
  }
  if (cut.length > 0) addNote(zip, `Not in this archive, because it lies too deep:\n${cut.join('/…\n')}/…\n`)
  zip.end()
  if (failure) throw failure
  yield* made.splice(0)
}

function addNote(zip: Zip, text: string): void {
  const note = new ZipPassThrough(NOTE)
  zip.add(note)
  note.push(Buffer.from(text), true)
}

/** Yields after every chunk. */
async function* addText(zip: Zip, { name, chunks }: ZipText): AsyncGenerator<void> {
  const file = new ZipDeflate(name, { level: 6 })
  zip.add(file)
  for await (const chunk of chunks) {
    file.push(Buffer.from(chunk))
    yield
  }
  file.push(new Uint8Array(0), true)
  yield
}

async function* addEntry(zip: Zip, { directory, name, path, stats }: Omit<TreeEntry, 'isCut'>): AsyncGenerator<void> {
  // To some programs a backslash is a way into a directory, and two dots before it a way out.
  const called = path.replaceAll('\\', '_')
  const mtime = Math.min(Math.max(stats.mtimeMs, EARLIEST), LATEST)
  if (stats.isDirectory()) {
    const marker = new ZipPassThrough(`${called}/`)
    marker.mtime = mtime
    zip.add(marker)
    marker.push(new Uint8Array(0), true)
    yield
    return
  }
  const opened = await openRegular(directory, name, path).catch(() => undefined)
  if (!opened) return
  await using handle = opened.handle
  const file = new ZipDeflate(called, { level: 6 })
  file.mtime = mtime
  zip.add(file)
  for (let size = 0; ; size++) {
    const chunk = new Uint8Array(CHUNK_BYTES)
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES)
    // A file that grows as fast as it is read would never end.
    const isLast = bytesRead === 0 || size * CHUNK_BYTES > MAX_BYTES
    file.push(chunk.subarray(0, bytesRead), isLast)
    yield
    if (isLast) return
  }
}
