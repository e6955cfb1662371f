import { AgentError } from '@parley/protocol'
import type { Egress } from '../../egress/egress.ts'
import { readJwks } from './read-jwks.ts'
import type { SigningKey, SigningKeys, TokenHeader } from './signing-key.ts'

/** What has become known about the keys; the same is not told twice. */
export type KeysChange = { url: string } & (
  | { count: number; failure?: never; keptMs?: never }
  /** `keptMs`: how long those known before keep working; 0 when there are none. */
  | { count?: never; failure: string; keptMs: number }
)

export type JwksOptions = {
  url: string
  egress: Pick<Egress, 'request'>
  /** A clock that cannot be set, in milliseconds. */
  elapsed: () => number
  onChange: (change: KeysChange) => void
  times?: JwksTimes | undefined
}

const TIMES = {
  /** How often the keys are asked for: so long does one that was withdrawn live on. */
  everyMs: 5 * 60_000,
  /** After a failure. */
  againMs: 10_000,
  /** Between two questions because of a key that nobody knows: whoever invents them must not have us ask for each. */
  coolDownMs: 10_000,
  /** How long the last answer holds while there is no other. */
  keepMs: 60 * 60_000,
}
export type JwksTimes = Partial<typeof TIMES>

const MAX_ASKED = 1_000

/**
 * The keys at an address. Asked for at the start, every few minutes, and at once when a token names one that is not there.
 *
 *     kid known ─▶ key          kid unknown ─▶ asked for before, and not in the answer? none
 *                                           ─▶ cooling down, or no answer? try again later
 *                                           ─▶ ask, then look again
 */
export class Jwks implements SigningKeys {
  readonly #options: JwksOptions
  readonly #times: typeof TIMES
  readonly #closed = new AbortController()
  #keys: SigningKey[] = []
  #answeredAt = -Infinity
  #said = ''
  /** Which unknown ones were asked for before the last answer, and since. */
  #absent = new Set<string>()
  #asked = new Set<string>()
  #mayAskAt = -Infinity
  #underWay: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: JwksOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    void this.#ask()
  }

  async find(header: TokenHeader): Promise<SigningKey | undefined> {
    if (this.#isUnknown(header)) await this.#lookFor(header)
    const fitting = this.#keys.filter((key) => fits(key, header))
    // One of several that nobody named: to try them all is the guesser's way.
    return fitting.length === 1 ? fitting[0] : undefined
  }

  has(id: string): boolean {
    return this.#keys.some((key) => key.id === id)
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
    clearTimeout(this.#timer)
  }

  /** A key that is there and of another kind is not asked for again. */
  #isUnknown(header: TokenHeader): boolean {
    return !this.#keys.some((key) => (header.kid === undefined ? fits(key, header) : key.kid === header.kid))
  }

  async #lookFor(header: TokenHeader): Promise<void> {
    const kid = header.kid ?? ''
    const isCooling = this.#options.elapsed() < this.#mayAskAt
    if (isCooling && this.#absent.has(kid)) return
    if (this.#asked.size < MAX_ASKED) this.#asked.add(kid)
    if (isCooling && !this.#underWay) throw this.#unavailable()
    if (!isCooling) this.#mayAskAt = this.#options.elapsed() + this.#times.coolDownMs
    // What was under way already may have left before the product had the key.
    const isAnswered = await this.#ask()
    if (!isAnswered || (this.#isUnknown(header) && !this.#absent.has(kid))) throw this.#unavailable()
  }

  #ask(): Promise<boolean> {
    return (this.#underWay ??= this.#askNow().finally(() => {
      this.#underWay = undefined
    }))
  }

  async #askNow(): Promise<boolean> {
    const { egress, url, elapsed } = this.#options
    clearTimeout(this.#timer)
    const asked = this.#asked
    this.#asked = new Set()
    let isAnswered = false
    try {
      this.#keys = await readJwks(egress, url, this.#closed.signal)
      this.#answeredAt = elapsed()
      this.#absent = asked
      isAnswered = true
      this.#tell({ url, count: this.#keys.length })
    } catch (error) {
      if (this.#closed.signal.aborted) return false
      const keptMs = Math.max(0, this.#answeredAt + this.#times.keepMs - elapsed())
      if (keptMs === 0) this.#keys = []
      this.#tell({ url, failure: (error as Error).message, keptMs })
    }
    this.#timer = setTimeout(() => void this.#ask(), isAnswered ? this.#times.everyMs : this.#times.againMs)
    this.#timer.unref()
    return isAnswered
  }

  #tell(change: KeysChange): void {
    const said = change.failure ? `${change.failure} ${change.keptMs > 0}` : this.#keys.map(({ id }) => id).join()
    if (said !== this.#said) this.#options.onChange(change)
    this.#said = said
  }

  #unavailable(): AgentError {
    const waitMs = Math.max(0, this.#mayAskAt - this.#options.elapsed())
    return new AgentError('sign_in_unavailable', 'Your sign-in cannot be checked just now. Try again in a moment.', {
      details: { retry_after: Math.max(1, Math.ceil(waitMs / 1000)) },
    })
  }
}

function fits({ kid, algorithms }: SigningKey, header: TokenHeader): boolean {
  return algorithms.includes(header.alg) && (header.kid === undefined || kid === header.kid)
}
