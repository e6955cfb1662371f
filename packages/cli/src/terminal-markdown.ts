/**
 * Markdown as it arrives, drawn for a terminal. Most characters go out at once, in the style of where they stand; held
 * back are only the few at which it is not yet clear what they are: the beginning of a line, an asterisk, a link.
 */
import type { Style } from './terminal.ts'

/** How long a link may be before it is taken for plain text. */
const LINK_CHARACTERS = 500
const FENCE = /^ {0,3}(```+|~~~+)/
/** Beginnings of a line after which more must be seen. */
const UNDECIDED = /^(?: {0,3}(?:#{0,6}|`{1,2}|~{1,2}|-+|\*+|_+|[-*+]|>)? *|\s+(?:[-*+])?)$/
const HEADING = /^ {0,3}#{1,6} +/
const BULLET = /^(\s*)[-*+] +/
const QUOTE = /^ {0,3}> ?/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/
const LINK = /^\[([^\]\n]*)\]\(([^()\s]*)\)/
const LINK_BEGUN = /^\[[^\]\n]*(?:\](?:\([^()\s]*)?)?$/

export class TerminalMarkdown {
  readonly #style: Style
  /** What is not decided yet: of the line's beginning, or of a mark inside it. */
  #held = ''
  #isLineStart = true
  #fence = ''
  #isHeading = false
  #isQuote = false
  #isBold = false
  #isItalic = false
  #isCode = false

  constructor(style: Style) {
    this.#style = style
  }

  /** What to print for the next piece of text. */
  write(text: string): string {
    let output = ''
    for (const piece of text.split(/(?<=\n)/)) output += this.#line(piece)
    return output
  }

  /** What was held back, as the text it then is. */
  end(): string {
    const rest = this.#isLineStart && this.#held !== '' ? this.#begin(this.#held) : ''
    const output = rest + this.#paint(this.#held)
    this.#held = ''
    return output + this.#newLine('')
  }

  #line(piece: string): string {
    const isWhole = piece.endsWith('\n')
    const text = isWhole ? piece.slice(0, -1) : piece
    let output = ''
    if (this.#isLineStart) {
      this.#held += text
      if (!isWhole && this.#mustWait()) return ''
      output += this.#begin(this.#held)
    } else output += this.#inline(text)
    return isWhole ? output + this.#newLine('\n') : output
  }

  #mustWait(): boolean {
    if (this.#fence) return this.#fence.startsWith(this.#held.trimStart().slice(0, this.#fence.length))
    return UNDECIDED.test(this.#held) || FENCE.test(this.#held)
  }

  /** The line is known for what it is: draws its mark, then the rest of what was held. */
  #begin(line: string): string {
    this.#held = ''
    this.#isLineStart = false
    const { dim, cyan } = this.#style
    const fence = FENCE.exec(line)?.[1]
    if (this.#fence) {
      if (!fence?.startsWith(this.#fence)) return cyan(line)
      this.#fence = ''
      return dim(line)
    }
    if (fence) {
      this.#fence = fence
      return dim(line)
    }
    if (RULE.test(line)) return dim('─'.repeat(20))
    const [mark = ''] = HEADING.exec(line) ?? []
    this.#isHeading = mark !== ''
    if (this.#isHeading) return this.#inline(line.slice(mark.length))
    const [quote = ''] = QUOTE.exec(line) ?? []
    this.#isQuote = quote !== ''
    if (this.#isQuote) return dim('│ ') + this.#inline(line.slice(quote.length))
    const bullet = BULLET.exec(line)
    return bullet ? `${bullet[1]}• ${this.#inline(line.slice(bullet[0].length))}` : this.#inline(line)
  }

  #inline(text: string): string {
    if (this.#fence) return this.#style.cyan(text)
    const line = this.#held + text
    this.#held = ''
    let output = ''
    let run = ''
    const flush = () => {
      output += this.#paint(run)
      run = ''
    }
    for (let at = 0; at < line.length; at++) {
      const rest = line.slice(at, at + LINK_CHARACTERS)
      const [char = '', next] = rest
      if (char === '`') {
        flush()
        this.#isCode = !this.#isCode
      } else if (this.#isCode) run += char
      else if (char === '*' || char === '[' || char === '\\') {
        const length = char === '[' ? linkLength(rest) : next === undefined ? undefined : 1
        if (length === undefined) {
          this.#held = line.slice(at)
          break
        }
        if (char === '[' && length > 0) {
          const [, words = '', address = ''] = LINK.exec(rest)!
          flush()
          output += this.#paint(words) + (words === address ? '' : this.#style.dim(` (${address})`))
          at += length - 1
        } else if (char === '\\' && /[!-/:-@[-`{-~]/.test(next ?? '')) {
          run += next
          at++
        } else if (char === '*' && next === '*') {
          flush()
          this.#isBold = !this.#isBold
          at++
        } else if (char === '*' && (this.#isItalic || !/\s/.test(next ?? ' '))) {
          flush()
          this.#isItalic = !this.#isItalic
        } else run += char
      } else run += char
    }
    flush()
    return output
  }

  /** Marks that were opened and never closed end with their line: one slip must not colour the rest of the answer. */
  #newLine(end: string): string {
    const rest = this.#fence ? this.#style.cyan(this.#held) : this.#paint(this.#held)
    this.#held = ''
    this.#isLineStart = true
    this.#isHeading = this.#isQuote = this.#isBold = this.#isItalic = this.#isCode = false
    return rest + end
  }

  #paint(text: string): string {
    const { bold, cyan, dim, italic } = this.#style
    if (text === '') return ''
    let painted = this.#isCode ? cyan(text) : text
    if (this.#isItalic) painted = italic(painted)
    if (this.#isBold || this.#isHeading) painted = bold(painted)
    return this.#isQuote ? dim(painted) : painted
  }
}

/** How many characters the link at the beginning takes; 0 when there is none, `undefined` when more must be seen. */
function linkLength(text: string): number | undefined {
  const link = LINK.exec(text)
  if (link) return link[0].length
  return LINK_BEGUN.test(text) && text.length < LINK_CHARACTERS ? undefined : 0
}
