import { stepLine, type OpenBlock } from './step-line.ts'

export type SplitBlock = Pick<OpenBlock, 'kind' | 'start' | 'parts' | 'isLoose' | 'isDone' | 'fence' | 'until'> & {
  end: number
}

/** What follows the finished blocks: at most the block that was open, and one that the unfinished last line starts. */
export type Tail = readonly SplitBlock[]

/**
 * Cuts a growing text into blocks. Each complete line is looked at once, so that more text costs its own length; a block
 * that was reported as finished never changes again, however the text arrived.
 */
export class BlockSplitter {
  text = ''
  readonly finished: SplitBlock[] = []
  #lineStart = 0
  #open: OpenBlock | undefined

  /** Goes on with a longer text; its beginning must be the text so far. */
  extend(text: string): void {
    const from = this.text.length
    this.text = text
    let newline = this.text.indexOf('\n', from)
    while (newline >= 0) {
      this.#commit(this.#line(newline), newline + 1)
      newline = this.text.indexOf('\n', this.#lineStart)
    }
  }

  /** Where the unfinished last line begins; the length of the text if there is none. */
  get lineStart(): number {
    return this.#lineStart
  }

  /** The block that the unfinished last line may still belong to. */
  get open(): OpenBlock | undefined {
    return this.#open
  }

  /** The blocks behind the finished ones, with the unfinished last line read as if it were complete. */
  tail(end = this.text.length): Tail {
    const open = this.#open
    if (end <= this.#lineStart) return open ? [toBlock(open, this.#lineStart)] : []
    const step = stepLine(open, this.text.slice(this.#lineStart, end), this.#lineStart)
    const closed = open && step.before !== undefined ? [toBlock(open, step.before)] : []
    return step.open ? [...closed, toBlock(step.open, end)] : closed
  }

  /** Goes back to before the first difference to another text, keeping every block that cannot be touched by it. */
  rewind(commonLength: number): void {
    // The line after a block decides that it is finished, so the last block before the difference is not safe.
    let keep = 0
    while (keep < this.finished.length && this.finished[keep]!.end <= commonLength) keep++
    this.finished.length = Math.max(0, keep - 1)
    this.#lineStart = this.finished.at(-1)?.end ?? 0
    this.text = this.text.slice(0, this.#lineStart)
    this.#open = undefined
  }

  #commit(line: string, next: number): void {
    const step = stepLine(this.#open, line, this.#lineStart)
    if (this.#open && step.before !== undefined) this.finished.push(toBlock(this.#open, step.before))
    this.#open = step.open
    this.#lineStart = next
  }

  #line(newline: number): string {
    const end = this.text[newline - 1] === '\r' ? newline - 1 : newline
    return this.text.slice(this.#lineStart, Math.max(this.#lineStart, end))
  }
}

function toBlock(open: OpenBlock, end: number): SplitBlock {
  const { kind, start, parts, isLoose, isDone, fence, until } = open
  return { kind, start, end, parts, isLoose, isDone, ...(fence && { fence }), ...(until !== undefined && { until }) }
}
