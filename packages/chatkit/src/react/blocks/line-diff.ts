/** A line that stays, goes or comes; with where it stands, before and after, as far as it does. */
export type DiffLine = { sign: ' ' | '+' | '-'; text: string; before?: number; after?: number }

/** Tables of more cells take too long, and too much: the middle is then told as all gone and all new. */
const MAX_CELLS = 4_000_000

/** The lines of two texts, as few of them changed as can be. `line`: where both begin. */
export function diffLines(before: string, after: string, line = 1): DiffLine[] {
  // Where only one of them ends with a line end, that is a difference.
  const isWhole = before === '' || after === '' || before.endsWith('\n') === after.endsWith('\n')
  const [a, b] = isWhole ? [linesOf(before), linesOf(after)] : [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const same = (lines: readonly string[]) => lines.map((text) => ({ sign: ' ' as const, text }))
  return numbered([...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))], line)
}

/** The lines of `diff -u`. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [before, after] = [0, 0]
  for (const line of linesOf(diff)) {
    const at = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (at) [before, after] = [Number(at[1]), Number(at[2])]
    // What stands before the first of these names the files.
    if (at || before + after === 0) continue
    const text = line.slice(1)
    if (line.startsWith('-')) lines.push({ sign: '-', text, before: before++ })
    else if (line.startsWith('+')) lines.push({ sign: '+', text, after: after++ })
    else if (line.startsWith(' ') || line === '') lines.push({ sign: ' ', text, before: before++, after: after++ })
  }
  return lines
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** By the longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = a.map((text): DiffLine => ({ sign: '-', text }))
  const come = b.map((text): DiffLine => ({ sign: '+', text }))
  if (a.length * b.length > MAX_CELLS) return [...gone, ...come]
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j]!
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i]! })
      i++
      j++
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push(gone[i++]!)
    else lines.push(come[j++]!)
  }
  return lines
}

function numbered(lines: readonly DiffLine[], first: number): DiffLine[] {
  let [before, after] = [first, first]
  return lines.map((line) => ({
    ...line,
    ...(line.sign !== '+' && { before: before++ }),
    ...(line.sign !== '-' && { after: after++ }),
  }))
}
