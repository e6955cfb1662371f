import { readlink, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AgentError } from '@parley/protocol'
import { HeldDirectory, makeDirectory } from './held-directory.ts'
import { resolvePath } from './resolve-path.ts'

type Step = { name: string; directory: HeldDirectory }

/** A way down from a workspace: every directory on it is held, so that the next step starts from that very one. */
export class Walk implements AsyncDisposable {
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
