import {
  bulletOf,
  closesFence,
  fenceOf,
  htmlEnd,
  indentOf,
  isBlank,
  isDelimiterRow,
  isDetails,
  isFootnote,
  isHeading,
  isHtmlBlock,
  isQuote,
  isRule,
  isSetextUnderline,
  mathEnd,
  type Fence,
} from './line-rules.ts'

export type BlockKind =
  | 'text'
  | 'quote'
  | 'fence'
  | 'math'
  | 'list'
  | 'table'
  | 'html'
  | 'details'
  | 'code'
  | 'footnote'

/** The block that the next line may still belong to. */
export type OpenBlock = {
  kind: BlockKind
  start: number
  /** Where its separately readable parts begin: list items, table rows, runs of code lines. The first is `start`. */
  parts: readonly number[]
  /** Complete after its last line; the next line starts another block. */
  isDone: boolean
  hadBlank: boolean
  isLoose: boolean
  lineCount: number
  lastLine: string
  lastLineStart: number
  fence?: Fence
  until?: RegExp | string
  depth?: number
  listType?: string
  contentIndent?: number
}

/** `before` is where the previous block ends if this line closed it; `open` is the block after this line, if any. */
export type Step = { before: number | undefined; open: OpenBlock | undefined }

/** Lines of code in one part: what has scrolled by is not laid out again for each new character. */
const LINES_PER_CODE_PART = 40

/** Puts one line behind an open block, or starts another. Pure: the same line may be tried before it is complete. */
export function stepLine(open: OpenBlock | undefined, line: string, at: number): Step {
  if (!open || open.isDone) return { before: open && at, open: isBlank(line) ? undefined : startBlock(line, at) }
  const next = continueBlock(open, line, at)
  if (next === 'table') return startTable(open, line, at)
  if (next)
    return { before: undefined, open: { ...next, lastLine: line, lastLineStart: at, lineCount: open.lineCount + 1 } }
  return { before: at, open: isBlank(line) ? undefined : startBlock(line, at) }
}

function startBlock(line: string, at: number): OpenBlock {
  const base: OpenBlock = {
    kind: 'text',
    start: at,
    parts: [at],
    isDone: false,
    hadBlank: false,
    isLoose: false,
    lineCount: 1,
    lastLine: line,
    lastLineStart: at,
  }
  if (indentOf(line) >= 4) return { ...base, kind: 'code' }
  const fence = fenceOf(line)
  if (fence) return { ...base, kind: 'fence', fence }
  if (isHeading(line) || isRule(line)) return { ...base, isDone: true }
  const bullet = bulletOf(line)
  if (bullet) return { ...base, kind: 'list', listType: bullet.type, contentIndent: bullet.contentIndent }
  if (isQuote(line)) return { ...base, kind: 'quote' }
  const close = mathEnd(line)
  if (close) return { ...base, kind: 'math', until: close, isDone: line.trim().indexOf(close, 2) > 0 }
  if (isDetails(line)) return detailsAfter({ ...base, kind: 'details', depth: 0 }, line)
  const until = htmlEnd(line)
  if (until) return { ...base, kind: 'html', until, isDone: until.test(line) }
  if (isHtmlBlock(line)) return { ...base, kind: 'html' }
  return isFootnote(line) ? { ...base, kind: 'footnote' } : base
}

/** The block with the line in it, `'table'` if the line makes its last line a table head, `undefined` if it ends before. */
function continueBlock(open: OpenBlock, line: string, at: number): OpenBlock | 'table' | undefined {
  switch (open.kind) {
    case 'fence':
      return continueFence(open, line, at)
    case 'math':
      if (isBlank(line)) return undefined
      return { ...open, isDone: line.includes(open.until as string) }
    case 'details':
      return detailsAfter(open, line)
    case 'html':
      if (open.until instanceof RegExp) return { ...open, isDone: open.until.test(line) }
      return isBlank(line) ? undefined : open
    case 'code':
      return isBlank(line) || indentOf(line) >= 4 ? open : undefined
    case 'list':
      return continueList(open, line, at)
    case 'footnote':
      if (isBlank(line)) return { ...open, hadBlank: true }
      if (open.hadBlank ? indentOf(line) < 2 : isFootnote(line) || interrupts(line)) return undefined
      return { ...open, hadBlank: false }
    case 'quote':
      return isQuote(line) || (!isBlank(line) && !interrupts(line)) ? open : undefined
    case 'table':
      return isBlank(line) || interrupts(line) ? undefined : { ...open, parts: [...open.parts, at] }
    case 'text':
      if (isBlank(line)) return undefined
      if (isDelimiterRow(line, open.lastLine)) return 'table'
      if (isSetextUnderline(line)) return { ...open, isDone: true }
      return interrupts(line) || isFootnote(line) ? undefined : open
  }
}

function continueFence(open: OpenBlock, line: string, at: number): OpenBlock {
  if (closesFence(line, open.fence!)) return { ...open, isDone: true }
  const startsPart = open.lineCount > 1 && (open.lineCount - 1) % LINES_PER_CODE_PART === 0
  return startsPart ? { ...open, parts: [...open.parts, at] } : open
}

function continueList(open: OpenBlock, line: string, at: number): OpenBlock | undefined {
  if (isBlank(line)) return { ...open, hadBlank: true }
  if (indentOf(line) >= open.contentIndent!) return { ...open, hadBlank: false }
  const bullet = bulletOf(line)
  if (bullet) {
    if (bullet.type !== open.listType) return undefined
    const isLoose = open.isLoose || open.hadBlank
    return { ...open, isLoose, hadBlank: false, contentIndent: bullet.contentIndent, parts: [...open.parts, at] }
  }
  return open.hadBlank || interrupts(line) || isFootnote(line) ? undefined : open
}

function detailsAfter(open: OpenBlock, line: string): OpenBlock {
  const opened = line.match(/<details(?=[\s>])/gi)?.length ?? 0
  const depth = open.depth! + opened - (line.match(/<\/details>/gi)?.length ?? 0)
  return { ...open, depth, isDone: depth <= 0 }
}

/** The last line of the paragraph becomes the head; lines above it stay a paragraph. */
function startTable(open: OpenBlock, line: string, at: number): Step {
  const start = open.lastLineStart
  const head: OpenBlock = {
    ...open,
    kind: 'table',
    start,
    parts: [start],
    lineCount: 2,
    lastLine: line,
    lastLineStart: at,
  }
  return { before: start === open.start ? undefined : start, open: head }
}

function interrupts(line: string): boolean {
  if (isHeading(line) || isRule(line) || isQuote(line) || fenceOf(line) || mathEnd(line)) return true
  const bullet = bulletOf(line)
  if (bullet) return !bullet.isEmpty && (bullet.number ?? 1) === 1
  return isHtmlBlock(line) || htmlEnd(line) !== undefined
}
