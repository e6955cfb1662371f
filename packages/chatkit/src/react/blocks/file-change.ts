import type { FileChange } from '../../model/agent-blocks.ts'
import { type DiffLine, diffLines, parseDiff } from './line-diff.ts'

export type ShownChange = {
  path: string
  /** Places of one file that change, apart from each other. */
  hunks: DiffLine[][]
  /** The arguments that it tells all of. */
  shown: string[]
}

/**
 * What a call would make of a file: as the back end found it when it asked, else as far as the arguments tell. `undefined`:
 * they tell nothing of it.
 */
export function fileChange(given: Record<string, unknown>, change: FileChange | undefined): ShownChange | undefined {
  const path = change?.path ?? given['file_path']
  if (typeof path !== 'string') return undefined
  if (typeof change?.after === 'string') {
    const { before, after, line = 1 } = change
    return { path, hunks: [diffLines(before ?? '', after, line)], shown: TOLD }
  }
  if (change?.diff !== undefined) return { path, hunks: hunksOf(parseDiff(change.diff)), shown: TOLD }
  if (typeof given['content'] === 'string')
    return { path, hunks: [unnumbered(diffLines('', given['content']))], shown: ['file_path', 'content'] }
  const edits = editsOf(given)
  if (!edits) return undefined
  const hunks = edits.map(({ old_string, new_string }) => unnumbered(diffLines(old_string, new_string)))
  // What else an edit says is not in its lines.
  const isAll = edits.every((edit) => Object.keys(edit).length === 2)
  return { path, hunks, shown: ['file_path', 'old_string', 'new_string', ...(isAll ? ['edits'] : [])] }
}

const TOLD = ['file_path', 'content', 'old_string', 'new_string', 'edits']

/** Nobody knows where in the file they stand. */
const unnumbered = (lines: readonly DiffLine[]): DiffLine[] => lines.map(({ sign, text }) => ({ sign, text }))

type OneEdit = { old_string: string; new_string: string }

function editsOf({ old_string, new_string, edits }: Record<string, unknown>): OneEdit[] | undefined {
  const given: unknown[] = Array.isArray(edits) ? edits : [{ old_string, new_string }]
  return given.every(isEdit) ? given : undefined
}

function isEdit(value: unknown): value is OneEdit {
  const { old_string, new_string } = (value ?? {}) as Partial<OneEdit>
  return typeof old_string === 'string' && typeof new_string === 'string'
}

/** Lines whose numbers do not follow each other stand apart. */
function hunksOf(lines: readonly DiffLine[]): DiffLine[][] {
  const hunks: DiffLine[][] = []
  let [before, after] = [-1, -1]
  for (const line of lines) {
    const follows = line.sign === '+' ? line.after === after : line.before === before
    if (follows) hunks.at(-1)!.push(line)
    else hunks.push([line])
    if (line.before !== undefined) before = line.before + 1
    if (line.after !== undefined) after = line.after + 1
  }
  return hunks
}
