import { lstat, mkdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AgentError } from '@parley/protocol'

/** How many dangling links are followed before the path counts as a circle, as the kernel does. */
const MAX_LINKS = 40

/**
 * The real path of something in a workspace, existing or not, with every link on the way resolved. Throws
 * `invalid_path` when it lies outside. It is true only for the moment: to touch what is there, hold it (`held-directory.ts`).
 */
export async function insideWorkspace(workspace: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new AgentError('invalid_path', 'The path contains a NUL character.')
  const root = await realpath(workspace)
  const wanted = isAbsolute(path) ? resolve(path) : resolve(root, path)
  const real = await realPathOf(wanted, path, MAX_LINKS)
  if (real !== root && !real.startsWith(root + sep))
    throw new AgentError('invalid_path', `${path} is outside the workspace.`)
  return real
}

/** Where something lies, as everybody names it: relative to the workspace, with `/`. The workspace itself is `.`. */
export async function workspacePath(workspace: string, real: string): Promise<string> {
  return (
    relative(await realpath(workspace), real)
      .split(sep)
      .join('/') || '.'
  )
}

export async function makeWorkspace(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** Resolves as far as the path exists; a dangling link is followed to where it points. */
async function realPathOf(path: string, asked: string, links: number): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || links === 0) throw new AgentError('invalid_path', `${asked} is a link in a circle.`)
    if (code === 'ENAMETOOLONG') throw new AgentError('invalid_path', `${asked.slice(0, 80)}… is too long a path.`)
    if (code === 'ENOTDIR') throw new AgentError('not_found', `${asked} does not exist: a part of it is a file.`)
    if (code !== 'ENOENT') throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const link = await linkTarget(path)
  return link === undefined
    ? join(await realPathOf(parent, asked, links), basename(path))
    : realPathOf(resolve(await realPathOf(parent, asked, links), link), asked, links - 1)
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch {
    return undefined
  }
}
