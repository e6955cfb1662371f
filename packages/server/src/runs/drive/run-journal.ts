import { type Append, type Appended, appendEvents, type TurnRow } from '../../store/append.ts'
import type { Engine } from '../../store/engine.ts'
import type { Lease } from '../../store/gate.ts'
import type { Work } from '../../store/work.ts'
import type { TurnBook } from '../turn-book.ts'

/** Of all journals here: one that replaces another must not use its marks again. */
let appends = 0
/** A model faster than the disk waits here. */
const BUFFERED_CHARACTERS = 256 * 1024

export type RunJournalOptions = {
  engine: Engine
  lease: Lease
  book: TurnBook
  /** Whether this instance may still write; one that has lost its lease must not, even while the epoch is its own. */
  isHeld: () => boolean
  /** The gate row told that somebody wants the run to stop. */
  onStopRequested: () => void
  /** Finished turns, once they are stored. */
  onStored?: (turns: readonly TurnRow[]) => void
}

/** A piece of a block of text. */
export type Increment = { turn_id: string; block: 'text' | 'thinking'; delta: string; isNewBlock: boolean }

/**
 * The run's side of the journal. Everything is stored with the next commit; one append is in flight at a time, and text
 * that comes meanwhile is gathered. The first failure, a fence above all, ends everything: whoever writes or waits
 * afterwards gets it.
 */
export class RunJournal {
  readonly book: TurnBook
  readonly #options: RunJournalOptions
  readonly #texts = new Map<string, { type: 'text' | 'thinking'; delta: string; block_index: number }>()
  #characters = 0
  #writing: Promise<void> | undefined
  #failure: unknown

  constructor(options: RunJournalOptions) {
    this.#options = options
    this.book = options.book
  }

  /** Takes an increment. Resolves at once, unless too much waits for the disk. */
  async text({ turn_id, block: type, delta, isNewBlock }: Increment): Promise<void> {
    this.#throwFailure()
    const pending = this.#texts.get(turn_id)
    if (pending && !isNewBlock) pending.delta += delta
    else {
      if (pending) this.#moveText(turn_id)
      const { length } = this.book.turn(turn_id).blocks
      this.#texts.set(turn_id, { type, delta, block_index: isNewBlock ? length : length - 1 })
    }
    this.#characters += delta.length
    if (!this.#writing) void this.#flush()
    if (this.#characters > BUFFERED_CHARACTERS) await this.stored()
  }

  /** Writes into the book, text before it first, and has it stored with the next commit. */
  write(change: (book: TurnBook) => void): void {
    this.#throwFailure()
    this.#moveTexts()
    change(this.book)
    if (!this.#writing) void this.#flush()
  }

  /** Writes into the book what need not be stored before something else is: it goes along with that. */
  note(change: (book: TurnBook) => void): void {
    this.#throwFailure()
    this.#moveTexts()
    change(this.book)
  }

  /** Resolves when everything written so far is committed. */
  async stored(): Promise<void> {
    this.#moveTexts()
    // After a failure the book never becomes empty.
    while (this.#failure === undefined && (!this.book.isEmpty || this.#writing)) await (this.#writing ?? this.#flush())
    this.#throwFailure()
  }

  /**
   * One transaction with whatever is pending in the book, and with what `change` adds to it: nothing of that is stored
   * before, or without, what the work does besides.
   */
  async commit<T>(work: (append: Append) => Work<T>, change?: (book: TurnBook) => void): Promise<T> {
    while (this.#writing) await this.#writing
    if (!this.#mayWrite()) throw this.#failure
    this.#moveTexts()
    change?.(this.book)
    const append = this.#nextAppend()
    const done = this.#options.engine.write(() => work(append))
    this.#writing = done.then(
      () => this.#options.onStored?.(append.turns ?? []),
      (error: unknown) => this.#fail(error),
    )
    void this.#writing.then(() => {
      this.#writing = undefined
      if (!this.book.isEmpty || this.#texts.size > 0) void this.#flush()
    })
    return done
  }

  /** Nothing more is stored. Resolves when what was in flight has arrived, or has not. */
  async close(): Promise<void> {
    this.#fail(hasLeft())
    await this.#writing
  }

  #mayWrite(): boolean {
    if (!this.#options.isHeld()) this.#fail(hasLeft())
    return this.#failure === undefined
  }

  #moveTexts(): void {
    for (const turn_id of this.#texts.keys()) this.#moveText(turn_id)
  }

  #moveText(turn_id: string): void {
    const { type, delta, block_index } = this.#texts.get(turn_id)!
    this.#texts.delete(turn_id)
    this.book.addText(turn_id, { type, text_delta: delta, block_index })
  }

  #flush(): Promise<void> {
    this.#writing = this.#appendAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #appendAll(): Promise<void> {
    try {
      for (;;) {
        this.#moveTexts()
        if (this.book.isEmpty || !this.#mayWrite()) return
        const append = this.#nextAppend()
        this.#noticeStop(await this.#options.engine.append(append))
        this.#options.onStored?.(append.turns ?? [])
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #nextAppend(): Append {
    this.#characters = 0
    const { session_id, epoch, run_id } = this.#options.lease
    return { session_id, epoch, batch: `${run_id}.${epoch}.${++appends}`, ...this.book.take() }
  }

  #noticeStop({ stop_requested }: Appended): void {
    if (stop_requested) this.#options.onStopRequested()
  }

  #fail(error: unknown): void {
    this.#failure ??= error
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }
}

function hasLeft(): Error {
  return new Error('The run has left this instance.')
}

/** Stores what is pending, if anything is. */
export function* appendPending(append: Append): Work<void> {
  if (append.events.length > 0) yield* appendEvents(append)
}
