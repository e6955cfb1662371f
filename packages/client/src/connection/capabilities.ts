type Known = { is: 'unknown' } | { is: 'asked'; answer: Promise<void> } | { is: 'known'; names: ReadonlySet<string> }

/** What the server can do beyond the specifications: asked until there is an answer, then kept. */
export class Capabilities {
  #known: Known = { is: 'unknown' }
  readonly #load: () => Promise<ReadonlySet<string>>

  constructor(load: () => Promise<ReadonlySet<string>>) {
    this.#load = load
  }

  has(name: string): boolean {
    return this.#known.is === 'known' && this.#known.names.has(name)
  }

  ask(): void {
    if (this.#known.is !== 'unknown') return
    const answer = this.#load().then(
      (names) => {
        this.#known = { is: 'known', names }
      },
      () => {
        this.#known = { is: 'unknown' }
      },
    )
    this.#known = { is: 'asked', answer }
  }

  /** The question under way has its answer, or failed. */
  async settled(): Promise<void> {
    if (this.#known.is === 'asked') await this.#known.answer
  }
}
