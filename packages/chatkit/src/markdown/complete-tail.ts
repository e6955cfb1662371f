import { completeInline } from './complete-inline.ts'
import { fenceOf, closesFence, type Fence } from './line-rules.ts'
import { isTooNested } from './nesting.ts'
import type { BlockKind, OpenBlock } from './step-line.ts'

/** A line that may still turn out to be something else: only marks so far, a number, a task box, an address definition. */
const UNDECIDED =
  /^[ \t]*(?:[-+*_=~`#>|$:\\ \t]+|(?:[> \t]*)(?:\d{1,9}[.)]?|[-+*]|\d{1,9}[.)])[ \t]*(?:\[[ xX]?\]?)?[ \t]*|\[[^\]^][^\]]*\]:.*)$/

/** True if the unfinished last line should not be shown yet: what it looks like now, it will not stay. */
export function isUndecided(line: string, open: OpenBlock | undefined): boolean {
  if (line === '') return false
  if (open?.kind === 'fence' && !open.isDone) return isClosingPrefix(line, open.fence!)
  if (open?.kind === 'html' || open?.kind === 'math') return false
  return UNDECIDED.test(line)
}

/** The source of an unfinished part with its open constructs ended. */
export function completeTail(kind: BlockKind, source: string): string {
  if (kind === 'html' || kind === 'code' || kind === 'fence' || isTooNested(source)) return source
  if (kind === 'math') return source + (source.includes('\\[') ? '\\]' : '$$')
  const from = kind === 'table' ? lastCell(source) : lastInline(source)
  return from === undefined ? source : source.slice(0, from) + completeInline(source.slice(from))
}

function isClosingPrefix(line: string, fence: Fence): boolean {
  const marks = line.trim()
  return marks.length > 0 && marks.length <= fence.length && marks === fence.char.repeat(marks.length)
}

function lastCell(row: string): number {
  for (let i = row.length - 1; i >= 0; i--) if (row[i] === '|' && row[i - 1] !== '\\') return i + 1
  return 0
}

/** Where the last paragraph, heading or item text begins; `undefined` inside code. */
function lastInline(source: string): number | undefined {
  let at = 0
  let start = 0
  let fence: Fence | undefined
  for (const line of source.split('\n')) {
    const lead = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/.exec(line)![0]
    const content = line.slice(/^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*/.exec(line)![0].length)
    if (fence) fence = closesFence(content, fence) ? undefined : fence
    else {
      fence = fenceOf(content)
      if (lead.trim() !== '' || line.slice(lead.length) === '' || fence) start = at + lead.length
    }
    at += line.length + 1
  }
  return fence ? undefined : Math.min(start, source.length)
}
