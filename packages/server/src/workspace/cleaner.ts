import { randomUUID } from 'node:crypto'
import { lstat, readdir, realpath, rename } from 'node:fs/promises'
import type { Engine } from '../store/engine.ts'
import { HeldDirectory } from './files/held-directory.ts'
import { fatesOf } from './fates.ts'
import { removeTree } from './remove-tree.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'

const HOUR = 60 * 60 * 1_000
const DAY = 24 * HOUR
/** A directory that no session has may belong to one that is just being made. */
const ORPHAN_GRACE = HOUR
/** Whoever makes a file is done with it by then. */
const LEFTOVER_GRACE = HOUR
const THOROUGH_ROUNDS = 24
const AT_ONCE = 200

/** A workspace on its way out: first renamed, so that one instance alone has it, then removed. */
const LEAVING = /^\.leaving-(sess_[\w-]+)\.[\w-]+$/
const SESSION = /^sess_[\w-]+$/

export type CleanerOptions = {
  engine: Engine
  /** Where the workspaces of all sessions are, each named after its session. */
  directory: string
  /** Wall clock, in milliseconds. */
  now: () => number
  /** Days without use after which the workspace of a session that is not `is_persistent` goes; history stays. Default 30. */
  days?: number
  /** Asked before every round: `false` leaves everything as it is (a volume that is not this deployment's). */
  mayClean?: () => Promise<boolean>
}

/** Cleans now and then until disposed, which waits for a round under way. Every instance may; what one does, the others find done. */
export function startWorkspaceCleaner({
  everyMs = HOUR,
  onError,
  ...options
}: CleanerOptions & { everyMs?: number; onError: (error: unknown) => void }): AsyncDisposable {
  let round: Promise<unknown> | undefined
  let rounds = 0
  let lastSeen = options.now()
  const timer = setInterval(() => {
    // A clock that jumped forward is believed once it says so a round later, too: what is removed does not come back.
    const time = Math.min(options.now(), lastSeen + 2 * everyMs)
    lastSeen = options.now()
    const believed = { ...options, now: () => time }
    // Whole trees are gone through, so not every time: soon after the start, which may have followed a crash, and daily.
    const isThorough = rounds++ % THOROUGH_ROUNDS === 0
    round ??= cleanWorkspaces(believed)
      .then(async () => isThorough && cleanLeftovers(believed, onError))
      .catch(onError)
      .finally(() => {
        round = undefined
      })
  }, everyMs)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await round
    },
  }
}

/** One round. Returns the sessions whose workspaces are gone. */
export async function cleanWorkspaces(options: CleanerOptions): Promise<string[]> {
  const { engine, directory, now, days = 30, mayClean = async () => true } = options
  if (!(await mayClean())) return []
  const names = await readdir(directory).catch(ifMissing)
  const cutoff = now() - days * DAY
  const removed: string[] = []
  const real = names.length > 0 ? await realpath(directory) : undefined
  await using held = real === undefined ? undefined : await HeldDirectory.open(real, real)
  for (let from = 0; held && from < names.length; from += AT_ONCE) {
    const entries = names.slice(from, from + AT_ONCE).flatMap(entryOf)
    const fates = await fatesOf(
      engine,
      entries.map(({ session_id }) => session_id),
      cutoff,
    )
    for (const { name, session_id } of entries) {
      const fate = fates.get(session_id) ?? 'orphan'
      const isLeaving = name !== session_id
      if (isLeaving && fate === 'in_use') await comeBack(held, name, session_id)
      else if (isLeaving) await finish({ held, session_id, removed }, name)
      else if (fate !== 'in_use' && (await isOld(held, name, fate === 'idle' ? cutoff : now() - ORPHAN_GRACE)))
        await remove({ engine, held, session_id, cutoff, removed })
    }
  }
  return removed
}

/** What crashes have left in workspaces that stay. One that cannot be gone through costs the others nothing. */
async function cleanLeftovers(
  { directory, now, mayClean = async () => true }: CleanerOptions,
  onError: (error: unknown) => void,
): Promise<void> {
  if (!(await mayClean())) return
  const names = (await readdir(directory).catch(ifMissing)).filter((name) => SESSION.test(name))
  if (names.length === 0) return
  const real = await realpath(directory)
  await using held = await HeldDirectory.open(real, real)
  for (const name of names) {
    try {
      await using workspace = await held.child(name)
      await sweepLeftovers(workspace, now() - LEFTOVER_GRACE)
    } catch (error) {
      onError(error)
    }
  }
}

function entryOf(name: string): { name: string; session_id: string }[] {
  if (SESSION.test(name)) return [{ name, session_id: name }]
  const session_id = LEAVING.exec(name)?.[1]
  return session_id === undefined ? [] : [{ name, session_id }]
}

type Removal = { engine: Engine; held: HeldDirectory; session_id: string; cutoff: number; removed: string[] }

/** Out of the way first, and then another look: a run that began meanwhile gets its workspace back. */
async function remove({ engine, held, session_id, cutoff, removed }: Removal): Promise<void> {
  const name = `.leaving-${session_id}.${randomUUID()}`
  try {
    await rename(held.at(session_id), held.at(name))
  } catch (error) {
    return ifGone(error)
  }
  const fate = (await fatesOf(engine, [session_id], cutoff)).get(session_id)
  if (fate === 'in_use') await comeBack(held, name, session_id)
  else await finish({ held, session_id, removed }, name)
}

async function finish(
  { held, session_id, removed }: Pick<Removal, 'held' | 'session_id' | 'removed'>,
  name: string,
): Promise<void> {
  try {
    await removeTree(held, name)
    removed.push(session_id)
  } catch (error) {
    ifGone(error)
  }
}

/** Over an empty directory that the new run has made; else everything that the new one does not have. */
async function comeBack(held: HeldDirectory, name: string, session_id: string): Promise<void> {
  try {
    await rename(held.at(name), held.at(session_id))
    return
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return ifGone(error)
  }
  {
    await using old = await held.child(name)
    await using fresh = await held.child(session_id)
    const taken = new Set(await readdir(fresh.at()))
    for (const entry of await readdir(old.at())) if (!taken.has(entry)) await rename(old.at(entry), fresh.at(entry))
  }
  await removeTree(held, name)
}

async function isOld(held: HeldDirectory, name: string, cutoff: number): Promise<boolean> {
  const stats = await lstat(held.at(name)).catch(ifGone)
  return stats !== undefined && stats.isDirectory() && stats.mtimeMs < cutoff
}

/** Another instance was faster. */
function ifGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

function ifMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error
  return []
}
