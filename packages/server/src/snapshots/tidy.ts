import { lstat, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import { isTemporary } from '../workspace/files/temporary-name.ts'
import { dropStates, type KeptState, statesOf } from './state-rows.ts'

/** What no state names may belong to one that is just being taken. */
const GRACE_MS = 60 * 60 * 1_000

export type TidyOptions = {
  engine: Engine
  /** Of the session's contents. */
  directory: string
  session_id: string
  /** What all states of the session may have on disk together; the newest stays in any case. */
  bytes: number
  /** Wall clock, in milliseconds. */
  now: () => number
}

/** Gives up the oldest states until the others fit, and removes contents that no state has. Returns how many it gave up. */
export async function tidy({ engine, directory, session_id, bytes, now }: TidyOptions): Promise<number> {
  const sizes = await filesIn(directory)
  const kept = (await statesOf(engine, session_id)).flatMap((row) => (row.state ? [{ ...row, state: row.state }] : []))
  const stay = fitting(kept, { sizes, bytes })
  const leave = kept.slice(0, kept.length - stay.length)
  if (leave.length > 0) await dropStates(engine, session_id, leave)
  const needed = filesOf(stay)
  const given = filesOf(leave)
  for (const [name, { mtimeMs }] of sizes)
    if (!needed.has(name) && (given.has(name) || mtimeMs < now() - GRACE_MS)) await remove(join(directory, name))
  return leave.length
}

type Files = Map<string, { size: number; mtimeMs: number }>
type Row = { state: KeptState }

/** The newest, as many as fit. */
function fitting<R extends Row>(kept: readonly R[], { sizes, bytes }: { sizes: Files; bytes: number }): readonly R[] {
  const files = new Set<string>()
  let total = 0
  for (let from = kept.length - 1; from >= 0; from--) {
    for (const name of filesOf([kept[from]!])) {
      if (!files.has(name)) total += sizes.get(name)?.size ?? 0
      files.add(name)
    }
    if (total > bytes && from < kept.length - 1) return kept.slice(from + 1)
  }
  return kept
}

function filesOf(rows: readonly Row[]): Set<string> {
  return new Set(rows.flatMap(({ state }) => state.files))
}

/** Temporary ones are not ours: whoever makes them removes them, or the cleaner does. */
async function filesIn(directory: string): Promise<Files> {
  const files: Files = new Map()
  for (const name of await readdir(directory)) {
    if (isTemporary(name)) continue
    const stats = await lstat(join(directory, name)).catch(ifGone)
    if (stats) files.set(name, stats)
  }
  return files
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(ifGone)
}

/** Another instance was faster. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
