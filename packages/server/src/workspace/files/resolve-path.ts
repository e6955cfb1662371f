import { isAbsolute, normalize, relative, sep } from 'node:path'
import { AgentError } from '@parley/protocol'

/** How many links are followed before the path counts as a circle, as the kernel does. */
const MAX_LINKS = 40

/** Levels below a workspace that the server itself goes to. Commands may make more; those are theirs to handle. */
export const MAX_DEPTH = 100

export type ResolveOptions = {
  /** The workspace's real path. */
  root: string
  /** The workspace as it is called, which may lead through links; absolute paths may begin with either. */
  workspace: string
  /** Ends at a link itself, not at what it points to. */
  keepLast?: boolean
}

/**
 * Where a path leads in a workspace, existing or not, as names below its root. Whoever drives it looks up the names that
 * it yields, each below directories that are no links, and answers with the link's target, or `undefined` for anything
 * else. A link that leads out is `invalid_path` before anything out there is looked at: not even an error tells what
 * is outside.
 */
export function* resolvePath(
  path: string,
  { root, workspace, keepLast = false }: ResolveOptions,
): Generator<readonly string[], string[], string | undefined> {
  const below = (target: string): string[] => {
    for (const place of [root, workspace]) {
      const names = relative(place, normalize(target)).split(sep)
      if (names[0] !== '..') return names
    }
    throw new AgentError('invalid_path', `${shown(path)} is outside the workspace.`)
  }
  if (path.includes('\0')) throw new AgentError('invalid_path', 'The path contains a NUL character.')
  const ahead = isAbsolute(path) ? below(path) : normalize(path).split(sep)
  const real: string[] = []
  for (let links = 0; ahead.length > 0;) {
    const name = ahead.shift()!
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (real.pop() === undefined) throw new AgentError('invalid_path', `${shown(path)} is outside the workspace.`)
      continue
    }
    if (real.length === MAX_DEPTH)
      throw new AgentError('invalid_path', `${shown(path)} is too deep: at most ${MAX_DEPTH} levels are taken.`)
    const target = keepLast && ahead.length === 0 ? undefined : yield [...real, name]
    if (target === undefined) {
      real.push(name)
      continue
    }
    if (++links > MAX_LINKS) throw new AgentError('invalid_path', `${shown(path)} is a link in a circle.`)
    if (isAbsolute(target)) real.length = 0
    ahead.unshift(...(isAbsolute(target) ? below(target) : target.split(sep)))
  }
  return real
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 80)}…` : path
}
