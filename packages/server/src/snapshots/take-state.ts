import { constants, lstat, type Stats } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'
import type { HeldDirectory } from '../workspace/files/held-directory.ts'
import { MAX_DEPTH } from '../workspace/files/resolve-path.ts'
import { isTemporary } from '../workspace/files/temporary-name.ts'
import { namesIn } from '../workspace/walk-tree.ts'
import { type Keeper, OWN_FILE_BYTES } from './keeper.ts'
import type { Entry, Manifest, Seen } from './manifest.ts'
import { StateProblem } from './problems.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const LOOKS_AT_ONCE = 64
const READS_AT_ONCE = 16
const TRIES = 3
/** A file may change twice within one tick of its clock: one that changed just now is read again next time. */
const SETTLED_MS = 2_000

export type StateLimits = {
  /** Files, directories and links of a workspace together. */
  entries: number
  /** Of all files of a workspace together. */
  bytes: number
}

export type Taking = {
  /** What was known last: files that have not changed since are not read. */
  last: Manifest
  keeper: Keeper
  limits: StateLimits
  /** Wall clock, in milliseconds. */
  now: () => number
  signal: AbortSignal | undefined
}

/** What is in the workspace, its contents kept. No link is followed; a `StateProblem` says what it is too much of. */
export async function takeState(workspace: HeldDirectory, taking: Taking): Promise<Manifest> {
  const walk = new Walk(taking)
  await walk.enter(workspace, '', 1)
  return walk.manifest
}

class Walk {
  readonly manifest: Manifest = new Map()
  readonly #taking: Taking
  #entries = 0
  #bytes = 0

  constructor(taking: Taking) {
    this.#taking = taking
  }

  async enter(directory: HeldDirectory, path: string, depth: number): Promise<void> {
    const { limits, signal } = this.#taking
    if (depth > MAX_DEPTH) throw new StateProblem('too_deep')
    // What is half-made will have another name, or none.
    const names = (await namesIn(directory)).filter((name) => !isTemporary(name))
    this.#entries += names.length
    if (this.#entries > limits.entries) throw new StateProblem('too_many_files')
    const entries = new Map<string, Entry>()
    this.manifest.set(path, entries)
    const last = this.#taking.last.get(path)
    for (let from = 0; from < names.length; from += LOOKS_AT_ONCE) {
      signal?.throwIfAborted()
      const some = names.slice(from, from + LOOKS_AT_ONCE)
      const looks = await Promise.all(some.map((name) => look(directory.at(name))))
      const fresh: string[] = []
      for (const [index, name] of some.entries()) {
        const known = this.#known(looks[index]!, last?.get(name))
        // In the order of their names, whatever comes of them.
        entries.set(name, known ?? { type: 'left' })
        if (!known) fresh.push(name)
      }
      await this.#readAll(directory, fresh, entries)
    }
    for (const [name, entry] of entries) {
      if (entry.type !== 'directory') continue
      const below = await directory.child(name).catch(ifShut)
      if (below === 'gone' || below === 'shut') {
        entries.set(name, { type: 'left' })
        continue
      }
      await using held = below
      await this.enter(held, path === '' ? name : `${path}/${name}`, depth + 1)
    }
  }

  /** A file that is what it was needs nothing but a look: of most workspaces, that is nearly all. */
  #known(stats: Look, last: Entry | undefined): Entry | undefined {
    if (typeof stats === 'string' || last?.type !== 'file' || !last.seen) return undefined
    if (!stats.isFile() || !isSame(last.seen, stats)) return undefined
    this.#count(stats)
    return { ...last, mode: modeOf(stats) }
  }

  async #readAll(directory: HeldDirectory, names: readonly string[], entries: Map<string, Entry>): Promise<void> {
    for (let from = 0; from < names.length; from += READS_AT_ONCE) {
      this.#taking.signal?.throwIfAborted()
      const some = names.slice(from, from + READS_AT_ONCE)
      const found = await allSettled(some.map((name) => this.#read(directory.at(name))))
      for (const [index, entry] of found.entries())
        if (entry) entries.set(some[index]!, entry)
        else entries.delete(some[index]!)
    }
  }

  /** `undefined`: it is gone. What changes its nature at every look, or cannot be read, is left. */
  async #read(at: string): Promise<Entry | undefined> {
    for (let tried = 0; tried < TRIES; tried++) {
      const stats = await look(at)
      if (stats === 'gone') return undefined
      if (stats === 'shut') return { type: 'left' }
      if (stats.isDirectory()) return { type: 'directory', mode: modeOf(stats) }
      if (stats.isSymbolicLink()) {
        const target = await readlink(at).catch(() => undefined)
        if (target !== undefined) return { type: 'link', target }
      } else if (stats.isFile()) {
        const file = await this.#file(at, stats)
        if (file === 'shut') return { type: 'left' }
        if (file !== 'gone') return file
      } else return { type: 'left' }
    }
    return { type: 'left' }
  }

  async #file(at: string, stats: Stats): Promise<Entry | 'gone' | 'shut'> {
    this.#count(stats)
    const opened = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(ifShut)
    if (opened === 'gone' || opened === 'shut') return opened
    await using file = opened
    // Before it is read: what changes while it is read has another time afterwards.
    const now = await file.stat()
    if (!now.isFile()) return 'gone'
    const content = await this.#keep(file, now.size)
    return { type: 'file', mode: modeOf(now), ...content, seen: this.#seen(now, content.size) }
  }

  #count({ size }: Stats): void {
    this.#bytes += size
    if (this.#bytes > this.#taking.limits.bytes) throw new StateProblem('too_large')
  }

  async #keep(file: FileHandle, size: number): ReturnType<Keeper['keep']> {
    const { keeper } = this.#taking
    if (size > OWN_FILE_BYTES) return keeper.keepFile(file)
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return keeper.keep(bytes.subarray(0, length))
  }

  #seen({ size, ino, mtimeMs, ctimeMs }: Stats, kept: number): Seen | null {
    const isSettled = size === kept && this.#taking.now() - ctimeMs > SETTLED_MS
    return isSettled ? { size, ino, mtimeMs, ctimeMs } : null
  }
}

export function isSame(seen: Seen, { size, ino, mtimeMs, ctimeMs }: Stats): boolean {
  return seen.size === size && seen.ino === ino && seen.mtimeMs === mtimeMs && seen.ctimeMs === ctimeMs
}

export function modeOf({ mode }: Stats): number {
  return mode & 0o777
}

type Look = Stats | 'gone' | 'shut'

/** With a callback: a promise of `node:fs` costs twice as much, and there is one for every file. */
function look(at: string): Promise<Look> {
  return new Promise((resolve, reject) => {
    lstat(at, (error, stats) => {
      if (!error) return resolve(stats)
      try {
        resolve(ifShut(error))
      } catch {
        reject(error)
      }
    })
  })
}

/** All of them, also when one fails: none may work on after the walk has ended. */
async function allSettled<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** A tree that is worked on changes while it is walked; and some of it may not be read. */
function ifShut(error: NodeJS.ErrnoException): 'gone' | 'shut' {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return 'gone'
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'shut'
  throw error
}
