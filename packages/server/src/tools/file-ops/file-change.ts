import { AgentError, isAgentError } from '@parley/protocol'
import type { FileChange } from '@parley/protocol/rest'
import type { MayTouch } from '../../workspace/files/hold.ts'
import { openFile } from '../../workspace/files/open-file.ts'

/** A larger file is not read to show what would become of it. */
const MAX_FILE_BYTES = 1024 * 1024
/** Of both texts together: a larger change is not shown. */
const MAX_CHANGE_CHARACTERS = 100_000
/** Lines around a change that stay as they are. */
const CONTEXT_LINES = 3

type Place = { workspace: string; path: string; mayTouch: MayTouch | undefined }

/** What becomes of a file, for people who are asked. `rewrite` gets its text, `null` where there is none, and may throw. */
export async function fileChange(place: Place, rewrite: (before: string | null) => string): Promise<FileChange> {
  const { path } = place
  const untold = (problem: FileChange['problem']): FileChange => ({ path, line: 1, before: null, after: null, problem })
  try {
    const before = await textOf(place)
    if (typeof before === 'object' && before !== null) return untold(before.problem)
    const change = between(before, rewrite(before))
    const size = (change.before ?? '').length + change.after.length
    return size > MAX_CHANGE_CHARACTERS ? untold('too_large') : { path, problem: null, ...change }
  } catch (error) {
    if (isAgentError(error)) return untold('not_applicable')
    throw error
  }
}

/** Both texts without the lines that are the same at their beginning and their end, but for a few. */
export function between(before: string | null, after: string): { line: number; before: string | null; after: string } {
  if (before === null) return { line: 1, before, after }
  const old = linesOf(before)
  const fresh = linesOf(after)
  const shorter = Math.min(old.length, fresh.length)
  let head = 0
  while (head < shorter && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const from = Math.max(0, head - CONTEXT_LINES)
  const without = Math.max(0, tail - CONTEXT_LINES)
  const cut = (lines: readonly string[]) => lines.slice(from, lines.length - without).join('')
  return { line: from + 1, before: cut(old), after: cut(fresh) }
}

/** Each with its end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

async function textOf({ workspace, path, mayTouch }: Place) {
  try {
    await using file = await openFile(workspace, path, mayTouch)
    const { handle, stats } = file
    if (stats.size > MAX_FILE_BYTES) return { problem: 'too_large' as const }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (bytes.includes(0)) return { problem: 'binary' as const }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'binary' as const }
    if (isAgentError(error) && error.code === 'not_found') return null
    throw error
  }
}

/** There is nothing to edit where there is no file. */
export function demandText(before: string | null, path: string): string {
  if (before === null) throw new AgentError('not_found', `There is no file ${path}.`)
  return before
}
