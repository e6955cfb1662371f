import { constants, existsSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { AgentError } from '@parley/protocol'
import { resolvePath } from './resolve-path.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Where the kernel lets us name things relative to an open directory. Elsewhere a path is checked and then used. */
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd')

/**
 * A directory of a workspace, held open. A command in the workspace may swap any directory for a link between our look
 * and our deed; what is done under a held directory happens in that very directory.
 */
export class HeldDirectory implements AsyncDisposable {
  readonly #handle: FileHandle
  readonly #real: string

  private constructor(handle: FileHandle, real: string) {
    this.#handle = handle
    this.#real = real
  }

  /** No link is followed on the last step: what is named must be a directory itself. */
  static async open(path: string, real: string): Promise<HeldDirectory> {
    return new HeldDirectory(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real)
  }

  /** What to give to `node:fs` for something directly in this directory; without a name, for the directory itself. */
  at(name = '.'): string {
    if (name === '..' || name === '' || /[/\0]/.test(name))
      throw new AgentError('invalid_path', `${name} is not a name.`)
    // Not joined: `fd/7` is a link to the directory, `fd/7/.` is the directory.
    return HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${this.#handle.fd}/${name}` : `${this.#real}${sep}${name}`
  }

  async child(name: string): Promise<HeldDirectory> {
    return HeldDirectory.open(this.at(name), join(this.#real, name))
  }

  /** A server that runs as root gives what it makes to whoever owns the directory: commands run as another user. */
  async giveToOwner(made: FileHandle): Promise<void> {
    if (process.getuid?.() !== 0) return
    const { uid, gid } = await this.#handle.stat()
    await made.chown(uid, gid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

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

/** `false`: something is there already. */
export async function makeDirectory(above: HeldDirectory, name: string): Promise<boolean> {
  try {
    await mkdir(above.at(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await using made = await open(above.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await above.giveToOwner(made)
  return true
}

type Step = { name: string; directory: HeldDirectory }

/** A way down from a workspace: every directory on it is held, so that the next step starts from that very one. */
class Walk implements AsyncDisposable {
  readonly #workspace: string
  readonly #root: string
  readonly #steps: Step[]

  private constructor(workspace: string, root: string, top: HeldDirectory) {
    this.#workspace = workspace
    this.#root = root
    this.#steps = [{ name: '', directory: top }]
  }

  /** Nothing in a workspace can swap the workspace itself. */
  static async from(workspace: string): Promise<Walk> {
    const root = await realpath(workspace)
    return new Walk(resolve(workspace), root, await HeldDirectory.open(root, root))
  }

  async resolve(path: string, keepLast: boolean): Promise<string[]> {
    const way = resolvePath(path, { root: this.#root, workspace: this.#workspace, keepLast })
    let asked = way.next()
    while (!asked.done) asked = way.next(await this.#linkAt(asked.value, path))
    return asked.value
  }

  /** Goes to a directory and returns it; the walk keeps it. */
  async to(names: readonly string[], make: boolean): Promise<HeldDirectory> {
    const same = this.#steps.slice(1).findIndex(({ name }, index) => name !== names[index])
    await this.#leave(this.#steps.splice(same === -1 ? names.length + 1 : same + 1))
    for (const name of names.slice(this.#steps.length - 1))
      this.#steps.push({ name, directory: await step(this.#here, name, make) })
    return this.#here
  }

  /** The directory it is at, which is the caller's from now on. */
  take(): HeldDirectory {
    return this.#steps.pop()!.directory
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave(this.#steps.splice(0))
  }

  get #here(): HeldDirectory {
    return this.#steps.at(-1)!.directory
  }

  /** What is not there, or not there any more, is no link. */
  async #linkAt(names: readonly string[], path: string): Promise<string | undefined> {
    try {
      const directory = await this.to(names.slice(0, -1), false)
      return await readlink(directory.at(names.at(-1)))
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
      if (code === 'EINVAL' || code === 'ENOENT') return undefined
      if (code === 'ENOTDIR')
        throw new AgentError('not_found', `${path} does not exist: a part of it is a file.`, { cause: error })
      throw error
    }
  }

  async #leave(steps: readonly Step[]): Promise<void> {
    for (const { directory } of steps) await directory[Symbol.asyncDispose]()
  }
}

async function step(above: HeldDirectory, name: string, make: boolean): Promise<HeldDirectory> {
  if (make) await makeDirectory(above, name)
  try {
    return await above.child(name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new AgentError('not_found', `The directory ${name} does not exist.`, { cause: error })
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw new AgentError('invalid_path', `${name} is not a directory.`, { cause: error })
    throw error
  }
}
