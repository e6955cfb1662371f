/** What one line says about the block it is in. CommonMark and GFM, as far as cutting a text into blocks needs them. */
import { Lexer } from 'marked'

export type Fence = { indent: number; char: string; length: number }
export type Bullet = {
  type: string
  indent: number
  contentIndent: number
  isEmpty: boolean
  number: number | undefined
}

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/
const BULLET = /^( {0,3})(?:([-+*])|(\d{1,9})([.)]))([ \t]+(?=\S)|[ \t]*$)/
const QUOTE = /^ {0,3}>/
const SETEXT = /^ {0,3}(?:=+|-+)[ \t]*$/
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const FOOTNOTE = /^ {0,3}\[\^[^\]\s]+\]:/
const MATH = /^ {0,3}(\$\$|\\\[)/
const DETAILS = /^ {0,3}<details(?:\s[^<>]*)?>/i
const HTML_UNTIL: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Za-z]/, />/],
]
/** marked's own list of the tags that begin a block: a text is cut where marked would cut it. */
const BLOCK_TAGS = /address\|[^)]*/.exec(Lexer.rules.block.gfm.html.source)![0]
const HTML_BLOCK = new RegExp(`^ {0,3}<\\/?(?:${BLOCK_TAGS})(?=[ \\t]|\\/?>|$)`, 'i')

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)
export const isHeading = (line: string): boolean => HEADING.test(line)
export const isRule = (line: string): boolean => RULE.test(line)
export const isQuote = (line: string): boolean => QUOTE.test(line)
export const isSetextUnderline = (line: string): boolean => SETEXT.test(line)
export const isFootnote = (line: string): boolean => FOOTNOTE.test(line)
export const isDetails = (line: string): boolean => DETAILS.test(line)
export const isHtmlBlock = (line: string): boolean => HTML_BLOCK.test(line)

/** The end of an HTML block that runs to a mark of its own, not to the next blank line. */
export const htmlEnd = (line: string): RegExp | undefined => HTML_UNTIL.find(([start]) => start.test(line))?.[1]

/** The closing mark of display math that opens on this line. */
export function mathEnd(line: string): '$$' | '\\]' | undefined {
  const open = MATH.exec(line)?.[1]
  if (open === undefined) return undefined
  return open === '$$' ? '$$' : '\\]'
}

export function fenceOf(line: string): Fence | undefined {
  const match = FENCE.exec(line)
  return match ? { indent: match[1]!.length, char: match[2]![0]!, length: match[2]!.length } : undefined
}

export function closesFence(line: string, fence: Fence): boolean {
  const marks = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1]
  return marks !== undefined && marks[0] === fence.char && marks.length >= fence.length
}

export function bulletOf(line: string): Bullet | undefined {
  const match = BULLET.exec(line)
  if (!match || isRule(line)) return undefined
  const [, lead = '', bullet, digits, delimiter, gap = ''] = match
  const markerEnd = lead.length + (bullet ?? `${digits}${delimiter}`).length
  const isEmpty = match[0].length === line.length
  const gapWidth = indentOf(line, markerEnd) - markerEnd
  return {
    type: bullet ?? delimiter!,
    indent: lead.length,
    contentIndent: markerEnd + (isEmpty || gap === '' || gapWidth > 4 ? 1 : gapWidth),
    isEmpty,
    number: digits === undefined ? undefined : Number(digits),
  }
}

/** Columns up to the first character that is neither space nor tab; a tab runs to the next multiple of four. */
export function indentOf(line: string, from = 0): number {
  let column = from
  for (let i = from; i < line.length; i++) {
    if (line[i] === ' ') column++
    else if (line[i] === '\t') column += 4 - (column % 4)
    else return column
  }
  return column
}

/** True if `line` under `header` makes the two of them the head of a table. */
export function isDelimiterRow(line: string, header: string): boolean {
  if (!/[|:]/.test(line) || !DELIMITER_ROW.test(line)) return false
  return countCells(line) === countCells(header)
}

function countCells(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(^|[^\\])\|$/, '$1')
  return (inner.match(/(?:^|[^\\])(?:\\\\)*(?=\|)/g)?.length ?? 0) + 1
}
