import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { AgentError } from '@parley/protocol'
import { insideWorkspace } from './workspace.ts'

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
  const root = await realpath(workspace)
  return holdReal(root, await insideWorkspace(workspace, path), make)
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
  /** A link itself, not what it points to. It must point into the workspace all the same. */
  link?: boolean
}

/** Holds the directory of a file or directory, so that it can be opened, replaced, renamed or removed. Not for the workspace itself. */
export async function holdEntry(workspace: string, path: string, options: HoldOptions = {}): Promise<HeldEntry> {
  const root = await realpath(workspace)
  const target = await insideWorkspace(workspace, path)
  const real = options.link ? await entryItself(workspace, root, path) : target
  if (real === root) throw new AgentError('invalid_path', 'That is the workspace itself; name something in it.')
  const parts = relative(root, real).split(sep)
  const name = parts.pop()!
  const directory = await holdReal(root, join(root, ...parts), options.make ?? false)
  return {
    directory,
    name,
    at: directory.at(name),
    path: [...parts, name].join('/'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

/** The directory resolved, the last name as it is. */
async function entryItself(workspace: string, root: string, path: string): Promise<string> {
  const wanted = join(path.startsWith('/') ? '/' : root, path)
  if (wanted === root) return root
  return join(await insideWorkspace(workspace, join(wanted, '..')), wanted.split(sep).findLast(Boolean)!)
}

async function holdReal(root: string, real: string, make: boolean): Promise<HeldDirectory> {
  let held = await HeldDirectory.open(root, root)
  for (const name of relative(root, real).split(sep).filter(Boolean)) {
    await using above = held
    held = await step(above, name, make)
  }
  return held
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
