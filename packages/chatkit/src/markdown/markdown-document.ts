import type { Links } from 'marked'
import { BlockSplitter, type SplitBlock } from './block-splitter.ts'
import { completeTail, isUndecided } from './complete-tail.ts'
import { codeOf, infoOf } from './fence-text.ts'
import { lexDetails, lexFootnote, lexMathBlock, lexPart, type MarkdownToken } from './lex-part.ts'
import { LinkReferences } from './link-references.ts'
import { ownCopy } from './own-copy.ts'
import type { BlockKind } from './step-line.ts'

/** A piece of a block that is read on its own: a list item, a table row, a run of code lines, or the whole block. */
export type MarkdownPart = {
  /** Offset in the text. */
  key: number
  end: number
  isOpen: boolean
  tokens: readonly MarkdownToken[]
  /** Code; `''` for all other kinds. */
  text: string
  /** What it shows may change with the addresses that the text defines. */
  needsLinks: boolean
}

export type MarkdownBlock = {
  /** Offset in the text: the block's identity while the text grows. */
  key: number
  kind: BlockKind
  parts: readonly MarkdownPart[]
  /** Its end has been seen. */
  isClosed: boolean
  isLoose: boolean
  /** Language of code, label of a footnote, else `''`. */
  info: string
}

/** Blocks are handed out in groups, so that drawing a frame does not even look at each of a long answer's blocks. */
export type BlockGroup = readonly MarkdownBlock[]
const GROUP_SIZE = 32

/** A text while it grows. What is closed is never scanned, lexed or handed out as another object again. */
export class MarkdownDocument {
  /** How many characters were given to the lexer so far: the cost of this document. */
  lexedCharacters = 0
  readonly #splitter = new BlockSplitter()
  readonly #blocks: MarkdownBlock[] = []
  #groups: readonly BlockGroup[] = []
  #tail: readonly MarkdownBlock[] = []
  #references = new LinkReferences()
  /** What the tail was read with. */
  #tailLinks: Links = this.#references.links
  #isStreaming: boolean | undefined

  /** The blocks of `text`. Cheap when it only grew; any other text is legal too. `streaming` completes its open end. */
  update(text: string, streaming: boolean): readonly BlockGroup[] {
    const known = this.#splitter.text
    const wasFinal = this.#isStreaming === false
    if (text === known && streaming === this.#isStreaming) return this.#groups
    // The end of a final text has defined addresses for good; if it was not the end, nothing read with them holds.
    // Comparing two strings is one memcmp; `startsWith` is a hundred times slower on long ones.
    if (text.slice(0, known.length) !== known || (wasFinal && !this.#references.isEmpty)) this.#rewind(text)
    this.#isStreaming = streaming
    this.#splitter.extend(text)
    const firstNew = this.#blocks.length
    for (let i = firstNew; i < this.#splitter.finished.length; i++)
      this.#blocks.push(this.#readFinished(this.#splitter.finished[i]!, i))
    this.#tail = this.#readTail(streaming)
    this.#regroup(this.#relink(firstNew, streaming))
    return this.#groups
  }

  #readFinished(block: SplitBlock, index: number): MarkdownBlock {
    this.#references.use(ownCopy(this.#splitter.text.slice(block.start, block.end)), index)
    return this.#read(block, false, this.#references.links)
  }

  #readTail(streaming: boolean): readonly MarkdownBlock[] {
    const links = streaming ? this.#references.draft() : this.#references.links
    const { text, lineStart, open } = this.#splitter
    const isHidden = streaming && isUndecided(text.slice(lineStart), open)
    const tail = this.#splitter.tail(isHidden ? lineStart : text.length)
    const blocks = tail.map((block, i) => {
      // A heading is whole with its line, but its line is not.
      const isWhole = block.isDone && (block.kind !== 'text' || block.end <= lineStart)
      return this.#read(block, streaming && !isWhole && i === tail.length - 1, links)
    })
    this.#tailLinks = links
    return blocks
  }

  #read(block: SplitBlock, isOpen: boolean, links: Links): MarkdownBlock {
    const { text } = this.#splitter
    const last = block.parts.length - 1
    const hasLinks = !isEmpty(this.#tailLinks)
    const earlier = this.#tail.find(({ key, kind }) => key === block.start && kind === block.kind)
    const parts = block.parts.map((key, i): MarkdownPart => {
      const end = block.parts[i + 1] ?? block.end
      const isOpenPart = isOpen && i === last
      const known = earlier?.parts[i]
      const isKnown = known?.key === key && known.end === end && known.isOpen === isOpenPart
      if (isKnown && (!known.needsLinks || (!hasLinks && isEmpty(links)))) return known
      const part = { key, end, isOpen: isOpenPart, tokens: [], text: '', needsLinks: false }
      if (block.kind === 'fence') return { ...part, text: ownCopy(codeOf(block, i, text)) }
      const own = ownCopy(text.slice(key, end))
      const source = isOpenPart ? completeTail(block.kind, own) : own
      // A row is only a row below its head.
      const head = block.kind === 'table' && i > 0 ? text.slice(block.start, block.parts[1]) : ''
      this.lexedCharacters += head.length + source.length
      return { ...part, tokens: lex(block.kind, head + source, links), needsLinks: source.includes('[') }
    })
    const info = ownCopy(infoOf(block, text, isOpen))
    return { key: block.start, kind: block.kind, parts, isClosed: !isOpen, isLoose: block.isLoose, info }
  }

  /** Reads blocks again whose link addresses have only now been defined; gives the first index that changed. */
  #relink(firstNew: number, streaming: boolean): number {
    const indexes = this.#references.takeResolved()
    if (indexes.length === 0 && (streaming || this.#references.isEmpty)) return firstNew
    this.#tail = []
    for (const index of indexes) this.#blocks[index] = this.#readFinished(this.#splitter.finished[index]!, index)
    this.#tail = this.#readTail(streaming)
    return Math.min(firstNew, ...indexes)
  }

  #regroup(from: number): void {
    const groups = this.#groups.slice(0, Math.floor(from / GROUP_SIZE))
    const rest = [...this.#blocks.slice(groups.length * GROUP_SIZE), ...this.#tail]
    for (let i = 0; i < rest.length; i += GROUP_SIZE) groups.push(rest.slice(i, i + GROUP_SIZE))
    this.#groups = groups
  }

  #rewind(text: string): void {
    const known = this.#splitter.text
    let same = 0
    while (same < known.length && same < text.length && known[same] === text[same]) same++
    // Blocks that are kept may use addresses of the part that goes; then nothing is kept.
    this.#splitter.rewind(this.#references.isEmpty ? same : 0)
    this.#references = new LinkReferences()
    this.#blocks.length = this.#splitter.finished.length
    for (const [i, { start, end }] of this.#splitter.finished.entries())
      this.#references.use(ownCopy(known.slice(start, end)), i)
    this.#tail = []
  }
}

function isEmpty(links: Links): boolean {
  for (const _ in links) return false
  return true
}

function lex(kind: BlockKind, source: string, links: Links): MarkdownToken[] {
  if (kind === 'math') return lexMathBlock(source, links)
  if (kind === 'details') return lexDetails(source, links)
  return kind === 'footnote' ? lexFootnote(source, links) : lexPart(source, links)
}
