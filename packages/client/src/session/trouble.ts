const PAUSE_MS = { first: 500, most: 10_000 }

/** Why a session cannot be followed right now, and how long to wait before the next try. */
export class Trouble {
  #error: unknown = null
  /** How often in a row we waited for it to be over. */
  #pauses = 0

  /** null while there is none. */
  get error(): unknown {
    return this.#error
  }

  get message(): string | null {
    return this.#error ? messageOf(this.#error) : null
  }

  /** Trying again would not help. */
  get isFinal(): boolean {
    const { status, code } = (this.#error ?? {}) as { status?: number; code?: string }
    return (
      [401, 403, 404].includes(status ?? 0) || ['unauthorized', 'forbidden', 'session_not_found'].includes(code ?? '')
    )
  }

  began(error: unknown): void {
    this.#error = error
  }

  ended(): void {
    this.#error = null
    this.#pauses = 0
  }

  nextPauseMs(): number {
    const ms = Math.min(PAUSE_MS.first * 2 ** this.#pauses, PAUSE_MS.most)
    this.#pauses += 1
    return ms
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
