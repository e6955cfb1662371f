import { diffLines, diffWordsWithSpace } from 'diff'

export type DiffPart = { text: string; isChanged: boolean }
export type DiffRow = {
  kind: 'same' | 'added' | 'removed'
  /** Line numbers in the old and the new text. */
  old: number | null
  fresh: number | null
  parts: DiffPart[]
  /** The text ends here, without a line end. */
  isOpen: boolean
}
export type Diff = { rows: DiffRow[]; added: number; removed: number }

/** Beyond this, what goes stands before what comes, as one. */
const MAX_EDITS = 4_000
const WORDS_UP_TO = 2_000

/** Two texts, line by line; `first` is the number of their first line. */
export function diffOf(before: string | null, after: string, first = 1): Diff {
  const rows: DiffRow[] = []
  let old = first
  let fresh = first
  for (const { removed, added } of blocksOf(before ?? '', after)) {
    if (removed === added) {
      for (const line of linesOf(added)) rows.push({ kind: 'same', old: old++, fresh: fresh++, ...plain(line) })
      continue
    }
    const gone = linesOf(removed)
    const come = linesOf(added)
    const pairs = gone.map((line, at) => wordsOf(line, come[at]))
    gone.forEach((line, at) =>
      rows.push({
        kind: 'removed',
        old: old++,
        fresh: null,
        ...plain(line),
        ...(pairs[at] && { parts: pairs[at].gone }),
      }),
    )
    come.forEach((line, at) =>
      rows.push({
        kind: 'added',
        old: null,
        fresh: fresh++,
        ...plain(line),
        parts: pairs[at]?.come ?? plain(line).parts,
      }),
    )
  }
  const count = (kind: DiffRow['kind']) => rows.filter((row) => row.kind === kind).length
  return { rows, added: count('added'), removed: count('removed') }
}

type Block = { removed: string; added: string }

/** Pieces that stay (both texts the same), and pieces that take the place of others. */
function blocksOf(before: string, after: string): Block[] {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS })
  if (!changes) return [{ removed: before, added: after }]
  const blocks: Block[] = []
  for (const { value, added, removed } of changes) {
    const last = blocks.at(-1)
    const isOpen = last !== undefined && last.removed !== last.added
    if (added && isOpen) last.added += value
    else if (removed && isOpen) last.removed += value
    else blocks.push({ removed: added ? '' : value, added: removed ? '' : value })
  }
  return blocks
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function plain(line: string): Pick<DiffRow, 'parts' | 'isOpen'> {
  return { parts: [{ text: withoutEnd(line), isChanged: false }], isOpen: !line.endsWith('\n') }
}

/** Which words differ between a line and the one that takes its place; none, where they have little in common. */
function wordsOf(gone: string, come: string | undefined): { gone: DiffPart[]; come?: DiffPart[] } {
  if (come === undefined || gone.length + come.length > WORDS_UP_TO) return { gone: plain(gone).parts }
  const words = diffWordsWithSpace(withoutEnd(gone), withoutEnd(come))
  const same = words.filter(({ added, removed }) => !added && !removed).map(({ value }) => value.trim())
  if (same.join('').length * 3 < Math.max(gone.length, come.length)) return { gone: plain(gone).parts }
  const side = (other: 'added' | 'removed') =>
    words
      .filter((word) => !word[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }))
  return { gone: side('added'), come: side('removed') }
}

const withoutEnd = (line: string) => (line.endsWith('\n') ? line.slice(0, -1) : line)
