import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import type { AgentVersion } from './agent-version.ts'
import { walkAgent } from './folder/find-folders.ts'
import { folderDigest, readFolder } from './folder/read-folder.ts'
import { FolderError, type WalkedFolder } from './folder/walk-folder.ts'
import type { LoadedMemory } from './loaded-memory.ts'
import { findCurrent, type Standing, storeVersion } from './version-rows.ts'
import type { Versions } from './versions.ts'

export type LoadOptions = {
  engine: Engine
  versions: Versions
  memory: LoadedMemory
  /** What is wrong with the tools of a version, a line each that begins with the path in its folder. */
  checkTools: (version: AgentVersion) => Promise<string[]>
  /** What may be a mistake there, and changes nothing: the same. */
  warnings: (version: AgentVersion) => Promise<string[]>
  /** The server stops. */
  signal: AbortSignal
  /** What holds a whole folder in memory takes turns. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
}

/** `stored`: the name of its versions. */
export type FoundFolder = { name: string; stored: string; directory: string; walked: WalkedFolder }

export type Loaded = { version: AgentVersion; isCurrent: boolean; isNewHere: boolean; warnings: string[] }

/**
 * Makes a version of a folder, stores it, and makes it the current one where that is its turn. Throws a `FolderError` when
 * the folder cannot become one; then nothing has changed. `undefined`: it changed while it was read.
 */
export async function loadFolder(
  { name, stored, directory, walked }: FoundFolder,
  { engine, versions, memory, checkTools, signal, inTurn, ...options }: LoadOptions,
): Promise<Loaded | undefined> {
  const taken = await inTurn(async () => {
    const files = await readFolder(walked, signal)
    const now = await walkAgent(directory, name, signal)
    if (!files || !now || now === 'gone' || now instanceof FolderError || now.stamp !== walked.stamp) return undefined
    const digest = folderDigest(stored, files)
    const { version, warnings } = await versions.take({ name: stored, digest, files })
    return { version, digest, files, warnings }
  })
  if (!taken) return undefined
  const { version, digest, files, warnings } = taken
  const last = memory.digestOf(name)
  const problems = last === digest ? [] : await checkTools(version)
  if (problems.length > 0) throw new FolderError(problems)
  signal.throwIfAborted()
  const packed = await versions.pack(files)
  const row = { name: stored, digest, files: packed, standing: standingOf(last, digest) }
  const { isCurrent } = await engine.write(() => storeVersion(row), { confirm: () => becameCurrent(stored, digest) })
  await versions.mend(stored, digest, packed)
  // Last: what is remembered has been stored.
  await memory.set(name, digest)
  return {
    version,
    isCurrent,
    isNewHere: last !== digest,
    warnings: [...warnings, ...(await options.warnings(version))],
  }
}

function standingOf(last: string | null | undefined, digest: string): Standing {
  if (last === undefined) return 'unknown'
  return last === digest ? 'unchanged' : 'changed'
}

function* becameCurrent(name: string, digest: string): Work<{ isCurrent: boolean } | undefined> {
  return (yield* findCurrent(name)) === digest ? { isCurrent: true } : undefined
}
