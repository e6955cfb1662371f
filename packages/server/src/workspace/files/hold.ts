import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import type { HeldDirectory } from './held-directory.ts'
import { Walk } from './walk.ts'

/** Holds a directory of the workspace, links resolved. With `make`, it and those above it are made where missing. */
export async function holdDirectory(
  workspace: string,
  path: string,
  { make = false }: { make?: boolean } = {},
): Promise<HeldDirectory> {
  await using walk = await Walk.from(workspace)
  const names = await walk.resolve(path, false)
  await walk.to(names, make)
  return walk.take()
}

/** Something that may or may not exist, and the directory it is in, held. */
export type HeldEntry = AsyncDisposable & {
  directory: HeldDirectory
  name: string
  /** For `node:fs`. */
  at: string
  /** Relative to the workspace, with `/`. */
  path: string
}

export type HoldOptions = {
  /** Makes the directories above it. */
  make?: boolean
  /** A link itself, not what it points to, wherever that is. */
  link?: boolean
  /** Gets where the path leads, before anything is made or touched there; may throw. */
  mayTouch?: MayTouch | undefined
}

export type MayTouch = (place: string) => void

/** Holds the directory of a file or directory, so that it can be opened, replaced, renamed or removed. Not for the workspace itself. */
export async function holdEntry(workspace: string, path: string, options: HoldOptions = {}): Promise<HeldEntry> {
  await using walk = await Walk.from(workspace)
  const names = await walk.resolve(path, options.link ?? false)
  const name = names.at(-1)
  if (name === undefined) throw new AgentError('invalid_path', 'That is the workspace itself; name something in it.')
  options.mayTouch?.(names.join('/'))
  await walk.to(names.slice(0, -1), options.make ?? false)
  const directory = walk.take()
  return {
    directory,
    name,
    at: directory.at(name),
    path: names.join('/'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

/** What a path leads to just now, links resolved, and where that is. The workspace itself is `.`. */
export async function lookAt(
  workspace: string,
  path: string,
  mayTouch?: MayTouch,
): Promise<{ stats: Stats; path: string }> {
  await using walk = await Walk.from(workspace)
  const names = await walk.resolve(path, false)
  mayTouch?.(names.join('/') || '.')
  const name = names.at(-1)
  const directory = await walk.to(names.slice(0, -1), false)
  return { stats: await lstat(directory.at(name)), path: names.join('/') || '.' }
}
