/** How much one answer of a model may hold; the defaults are those of `answerLimits` in `config/options.ts`. */
export type AnswerLimits = {
  /** Characters of everything in it: text, thinking, arguments, and what goes back to the provider with them. */
  characters: number
  /** Characters of one call's arguments. */
  argumentCharacters: number
  calls: number
}

/** What a part costs beside its text: a thousand parts of one character are as long an answer as any. */
const PART_CHARACTERS = 2_000

/**
 * Counts an answer while it flows. Every wire has one per answer and asks it about everything that it keeps; once
 * something did not fit, the answer is full, and the wire ends it as if the provider had said `length`.
 */
export class AnswerMeter {
  readonly #limits: AnswerLimits
  #characters = 0
  #calls = 0
  #isFull = false

  constructor(limits: AnswerLimits) {
    this.#limits = limits
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** What still fits of a text; never half a character. */
  fitting(text: string): string {
    const room = this.#limits.characters - this.#characters
    this.#characters += text.length
    if (text.length <= room) return text
    this.#isFull = true
    const kept = text.slice(0, Math.max(0, room))
    return kept.isWellFormed() || !text.isWellFormed() ? kept : kept.slice(0, -1)
  }

  /** Another part begins. */
  part(): void {
    this.#charge(PART_CHARACTERS)
  }

  /** Another call begins. */
  call(): void {
    this.#calls += 1
    if (this.#calls > this.#limits.calls) this.#isFull = true
  }

  /** A call's arguments have grown by so much, to that. */
  arguments(added: number, whole: number): void {
    if (whole > this.#limits.argumentCharacters) this.#isFull = true
    this.#charge(added)
  }

  /** Something else is kept that is so long. */
  keep(characters: number): void {
    this.#charge(characters)
  }

  #charge(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.#limits.characters) this.#isFull = true
  }
}
