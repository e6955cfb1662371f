import type { Span } from './markdown-marks.ts'

// Whoever cuts a text asks about one place after the other, and sometimes a little back: both remember where they were
// asked last, so that a question takes no search, however many there are.

/** The blocks of a section that fit into a passage. */
export class Blocks {
  readonly #blocks: readonly Span[]
  #next = 0

  constructor(blocks: readonly Span[], length: number) {
    this.#blocks = blocks.filter(({ start, end }) => end - start <= length)
  }

  /** The one that a cut here would cut. */
  around(at: number): Span | undefined {
    const block = this.#firstThatEndsAfter(at)
    return block && block.start < at ? block : undefined
  }

  /** The one that begins here. */
  from(at: number): Span | undefined {
    const block = this.#firstThatEndsAfter(at)
    return block?.start === at ? block : undefined
  }

  /** The last place from here on where a cut would cut none. */
  freeUntil(at: number): number {
    return this.#firstThatEndsAfter(at)?.start ?? Infinity
  }

  #firstThatEndsAfter(at: number): Span | undefined {
    while (this.#next > 0 && this.#blocks[this.#next - 1]!.end > at) this.#next--
    while (this.#next < this.#blocks.length && this.#blocks[this.#next]!.end <= at) this.#next++
    return this.#blocks[this.#next]
  }
}

/** Where lines begin that are something of their own: an item of a list, a row, a line of code, a lesser heading. */
export class Items {
  readonly #starts: readonly number[]
  #next = 0

  constructor(starts: readonly number[]) {
    this.#starts = starts
  }

  has(at: number): boolean {
    while (this.#next > 0 && this.#starts[this.#next - 1]! >= at) this.#next--
    while (this.#next < this.#starts.length && this.#starts[this.#next]! < at) this.#next++
    return this.#starts[this.#next] === at
  }
}
