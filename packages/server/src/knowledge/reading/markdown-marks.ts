/** Half open, as `slice` has it. */
export type Span = { start: number; end: number }
export type Heading = Span & { level: number; title: string }

/** What of a text's Markdown matters to whoever cuts it, each in the order of the text. */
export type Marks = {
  headings: Heading[]
  /** Tables and code blocks: without white space around them. */
  blocks: Span[]
  /** Where list items, table rows and lines of code begin, behind their indent. */
  items: number[]
}

const HEADING = /(#{1,6})(?:[ \t]+([^\n]*))?(?=\r?\n|$)/y
const UNDERLINE = /(?:={2,}|-{3,})[ \t]*(?=\r?\n|$)/y
const FENCE = /`{3,}|~{3,}/y
const ITEM = /(?:[-*+•·]|\(?\d{1,4}[.)])[ \t]|\(?[\d一二三四五六七八九十]{1,4}[、）]/y
/** Lines that begin with something else are plain, and there may be a million of them. */
const BEGINS_MARK = new Set('#=-`~|*+•·(0123456789一二三四五六七八九十')
const MAX_INDENT = 3
const MAX_TITLE = 300

/** One pass, line by line. A heading in a code block is none; a block that nobody closes ends with the text. */
export function marksOf(text: string): Marks {
  const marks: Marks = { headings: [], blocks: [], items: [] }
  let fence: { mark: string; start: number } | undefined
  let table: (Span & { rows: number }) | undefined
  /** A paragraph's only line so far: an underline makes it a heading. */
  let lone: Span | undefined
  let isAfterBreak = true
  const endTable = () => {
    if (table && table.rows > 1) marks.blocks.push({ start: table.start, end: table.end })
    table = undefined
  }
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const start = skipIndent(text, at, end)
    const indent = start - at
    at = end + 1
    if (fence) {
      if (indent <= MAX_INDENT && closes(text.slice(start, Math.min(end, start + 200)), fence.mark)) {
        marks.blocks.push({ start: fence.start, end })
        fence = undefined
        isAfterBreak = true
      } else if (start < end) marks.items.push(start)
      continue
    }
    const wasLone = lone
    const wasBreak = isAfterBreak
    lone = undefined
    isAfterBreak = start === end
    const first = text[start]!
    if (table && first !== '|') endTable()
    if (start === end) continue
    if (first === '|') {
      table = { start: table?.start ?? start, end, rows: (table?.rows ?? 0) + 1 }
      marks.items.push(start)
      continue
    }
    if (!BEGINS_MARK.has(first)) {
      if (wasBreak && indent <= MAX_INDENT) lone = { start, end }
      continue
    }
    const heading = indent <= MAX_INDENT ? headingAt(text, { start, end }, wasLone) : undefined
    if (heading) {
      marks.headings.push(heading)
      isAfterBreak = true
      continue
    }
    const mark = indent <= MAX_INDENT ? match(FENCE, text, start)?.[0] : undefined
    if (mark) fence = { mark, start }
    else if (match(ITEM, text, start)) marks.items.push(start)
    else if (wasBreak) lone = { start, end }
  }
  endTable()
  if (fence) marks.blocks.push({ start: fence.start, end: text.length })
  return marks
}

function headingAt(text: string, { start, end }: Span, lone: Span | undefined): Heading | undefined {
  const [, marks, title = ''] = match(HEADING, text, start) ?? []
  if (marks) return { start, end, level: marks.length, title: title.slice(0, MAX_TITLE).replace(/[ \t]+#*\s*$/, '') }
  if (!lone || !match(UNDERLINE, text, start)) return undefined
  const named = text.slice(lone.start, lone.end).trim().slice(0, MAX_TITLE)
  return { start: lone.start, end, level: text[start] === '=' ? 1 : 2, title: named }
}

function closes(line: string, mark: string): boolean {
  const bare = line.trimEnd()
  return bare.length >= mark.length && bare === mark[0]!.repeat(bare.length)
}

function skipIndent(text: string, from: number, end: number): number {
  let at = from
  while (at < end && (text[at] === ' ' || text[at] === '\t' || text[at] === '\r')) at++
  return at
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
