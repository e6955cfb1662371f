import { lstat, mkdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** A path that would leave the workspace, or is none. */
export class PathError extends Error {
  override readonly name = 'PathError'
}

/**
 * The real path of something in a workspace, existing or not, with every link on the way resolved. Throws when it lies
 * outside. Use it right before touching the file, and touch the path it returns.
 */
export async function insideWorkspace(workspace: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new PathError('The path contains a NUL character.')
  const root = await realpath(workspace)
  const wanted = isAbsolute(path) ? resolve(path) : resolve(root, path)
  const real = await realPathOf(wanted)
  if (real !== root && !real.startsWith(root + sep)) throw new PathError(`${path} is outside the workspace.`)
  return real
}

export async function makeWorkspace(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** Resolves as far as the path exists; a dangling link is followed to where it points. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const link = await linkTarget(path)
  return link === undefined
    ? join(await realPathOf(parent), basename(path))
    : realPathOf(resolve(await realPathOf(parent), link))
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch {
    return undefined
  }
}
