import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { AgentError } from '@parley/protocol'

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

/** What to give to `node:fs` for an open file itself, wherever its name leads by now; `undefined` where there is no such way. */
export function descriptorPath(file: FileHandle): string | undefined {
  return HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${file.fd}` : undefined
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
