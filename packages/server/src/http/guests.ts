import type { Auth } from '../auth/auth.ts'
import type { Credential } from '../auth/tools.ts'

export type GuestsOptions = {
  auth: Auth
  /** A clock that cannot be set: setting the other one back must not prolong anything. */
  now: () => number
  /** How often credentials ended elsewhere are looked for. */
  recheckMs: number
  onError: (error: unknown) => void
}

type Entry = { credential: Credential; guests: Set<() => void>; until: number }

/** Who is connected with which credential, so that they go when it ends: here at once, elsewhere at the next look. */
export class Guests implements Disposable {
  readonly #options: GuestsOptions
  readonly #connected = new Map<string, Entry>()
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(options: GuestsOptions) {
    this.#options = options
    this.#stopListening = options.auth.onEnded((credential) => this.#expel(credential))
  }

  /** Calls `expel` once the credential has ended, unless the guest has left before: then call what this returns. */
  add(credential: Credential, expel: () => void): () => void {
    const until = this.#options.now() + (credential.lastsMs ?? Infinity)
    const entry = this.#connected.get(credential.id) ?? { credential, guests: new Set(), until }
    this.#connected.set(credential.id, entry)
    entry.guests.add(expel)
    this.#schedule()
    return () => {
      entry.guests.delete(expel)
      if (entry.guests.size === 0 && this.#connected.get(credential.id) === entry) this.#connected.delete(credential.id)
    }
  }

  [Symbol.dispose](): void {
    this.#stopListening()
    clearTimeout(this.#timer)
    this.#connected.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#connected.size === 0) return
    this.#timer = setTimeout(() => void this.#recheck(), this.#options.recheckMs)
  }

  async #recheck(): Promise<void> {
    try {
      const now = this.#options.now()
      for (const { credential, until } of [...this.#connected.values()]) if (until <= now) this.#expel(credential)
      const credentials = [...this.#connected.values()].map(({ credential }) => credential)
      for (const ended of await this.#options.auth.endedOf(credentials)) this.#expel(ended)
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#timer = undefined
      this.#schedule()
    }
  }

  #expel({ id }: Credential): void {
    for (const expel of [...(this.#connected.get(id)?.guests ?? [])]) expel()
  }
}
