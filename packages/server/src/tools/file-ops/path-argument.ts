import { readlinkSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { JsonObject, JsonValue } from '../../ports.ts'
import type { ToolDefinition } from '../define-tool.ts'
import { resolvePath } from '../../workspace/files/resolve-path.ts'

/** How file tools call the argument that names a place in the workspace. */
const NAMES = ['file_path', 'path'] as const

/** The place that a call is about, and its arguments as rules see them: with that place, however it was spelled. */
export type Seen = { place: string; input: JsonObject }

/**
 * What a call of a file tool is about, relative to the workspace, links resolved: `./a`, `b/../a` and a link to `a` are all
 * `a`, and no path at all is the workspace. `undefined` for any other tool. Throws `invalid_path` for a path that leads
 * out. True for the moment only: whoever touches the place compares it with the one that is held. Blocks, for as many lookups as the
 * path has names.
 */
export function seenBy(
  tool: Pick<ToolDefinition, 'provider' | 'input'>,
  input: JsonValue,
  workspace: string,
): Seen | undefined {
  if (tool.provider !== 'file_ops' || typeof input !== 'object' || input === null || Array.isArray(input)) return
  const known = tool.input['properties'] as JsonObject
  const name = NAMES.find((one) => one in known)
  if (name === undefined) return
  const given = input[name]
  const place = placeOf(workspace, typeof given === 'string' ? given : '.')
  return { place, input: { ...input, [name]: place } }
}

function placeOf(workspace: string, path: string): string {
  const root = rootOf(workspace)
  const way = resolvePath(path, { root, workspace: resolve(workspace) })
  let asked = way.next()
  while (!asked.done) asked = way.next(linkAt(join(root, ...asked.value)))
  return asked.value.join('/') || '.'
}

function rootOf(workspace: string): string {
  try {
    return realpathSync(workspace)
  } catch {
    return resolve(workspace) // not made yet
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
