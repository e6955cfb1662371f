import { setImmediate } from 'node:timers/promises'
import type { Place } from './contents.ts'

/** How a file was when it was read: the same now, and it need not be read again. */
export type Seen = { size: number; ino: number; mtimeMs: number; ctimeMs: number }

/** What is known of one name in a directory. */
export type Entry =
  | { type: 'directory'; mode: number }
  | { type: 'link'; target: string }
  | ({ type: 'file'; mode: number; size: number; seen: Seen | null } & Place)
  /** Something that is not kept, a pipe or a file that cannot be read: it stays as it is. */
  | { type: 'left' }

/** The entries of every directory, by its path: `''` is the workspace, `a/b` a directory in it. */
export type Manifest = Map<string, Map<string, Entry>>

/** Other sessions go on meanwhile: so many entries are worked on at a time. */
const SLICE = 2_000

type Times = [ino: number, mtimeMs: number, ctimeMs: number]
type Line =
  | [name: string, kind: 'd', mode: number]
  | [name: string, kind: 'l', target: string]
  | [name: string, kind: 'o']
  | [
      name: string,
      kind: 'f',
      mode: number,
      size: number,
      sha256: string,
      pack: string | null,
      offset: number,
      seen: Times | null,
    ]

/** A line for each directory. The same files make the same bytes. */
export async function encodeManifest(manifest: Manifest): Promise<Buffer> {
  const lines: Buffer[] = []
  const inSlices = slices()
  for (const [path, entries] of manifest) {
    await inSlices(entries.size + 1)
    const line = [path, [...entries].map(([name, entry]) => encode(name, entry))]
    lines.push(Buffer.from(`${JSON.stringify(line)}\n`))
  }
  return Buffer.concat(lines)
}

/** Of bytes that have the hash of what was encoded. */
export async function decodeManifest(bytes: Buffer): Promise<Manifest> {
  const manifest: Manifest = new Map()
  const inSlices = slices()
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf('\n', from)
    const [path, entries] = JSON.parse(bytes.toString('utf8', from, to)) as [string, Line[]]
    manifest.set(path, new Map(entries.map((entry) => [entry[0], decode(entry)])))
    await inSlices(entries.length + 1)
    from = to + 1
  }
  return manifest
}

function encode(name: string, entry: Entry): Line {
  switch (entry.type) {
    case 'directory':
      return [name, 'd', entry.mode]
    case 'link':
      return [name, 'l', entry.target]
    case 'left':
      return [name, 'o']
    case 'file': {
      const { mode, size, sha256, pack, offset, seen } = entry
      return [name, 'f', mode, size, sha256, pack, offset, seen && [seen.ino, seen.mtimeMs, seen.ctimeMs]]
    }
  }
}

function decode(line: Line): Entry {
  switch (line[1]) {
    case 'd':
      return { type: 'directory', mode: line[2] }
    case 'l':
      return { type: 'link', target: line[2] }
    case 'o':
      return { type: 'left' }
    case 'f': {
      const [, , mode, size, sha256, pack, offset, was] = line
      const seen = was && { size, ino: was[0], mtimeMs: was[1], ctimeMs: was[2] }
      return { type: 'file', mode, size, sha256, pack, offset, seen }
    }
  }
}

function slices(): (entries: number) => Promise<void> {
  let done = 0
  return async (entries) => {
    done += entries
    if (done < SLICE) return
    done = 0
    await setImmediate()
  }
}
