/** Why another token is wanted: this one was refused, or will end soon. */
export type TokenNeed = { insteadOf: string; because: 'refused' | 'expiring' }

type TokenText = string | null | undefined

/**
 * One that answers at once is asked for every request and every connection. What one that takes its time (a call to the
 * page's back end, say) has promised is kept until it was refused, is about to end, or the application disconnects; then
 * it is asked again, with the need.
 */
export type TokenGetter = (need?: TokenNeed) => TokenText | Promise<TokenText>

type Token = string | null
type Soon<Value> = Value | Promise<Value>

/** Where a client's token comes from. null means the login cookie. */
export class TokenSource {
  readonly #given: Token | TokenGetter
  #kept: Promise<Token> | null = null
  /** What was kept, once it is there. */
  #value: Token | undefined

  constructor(given: Token | TokenGetter) {
    this.#given = given || null
  }

  get isFixed(): boolean {
    return typeof this.#given !== 'function'
  }

  /** The token as it is now. */
  read(): Soon<Token> {
    if (typeof this.#given !== 'function') return this.#given
    if (this.#kept) return this.#kept
    const answer = this.#given()
    return answer instanceof Promise ? this.#keep(answer) : answer || null
  }

  /** Another one than this; null when there is none. Calls that need one together share a question. */
  renew(need: TokenNeed): Soon<Token> {
    if (typeof this.#given !== 'function') return null
    if (this.#kept && this.#value !== need.insteadOf) return this.#kept
    const answer = this.#given(need)
    const other = (token: TokenText) => (token && token !== need.insteadOf ? token : null)
    if (!(answer instanceof Promise)) return other(answer)
    return (this.#kept ? this.#keep(answer) : answer).then(other)
  }

  /** Somebody else may be signed in from now on. */
  forget(): void {
    this.#kept = null
  }

  #keep(answer: Promise<TokenText>): Promise<Token> {
    const kept = answer.then((token) => token || null)
    this.#kept = kept
    this.#value = undefined
    kept.then(
      (token) => {
        if (this.#kept === kept) this.#value = token
      },
      () => {
        if (this.#kept === kept) this.#kept = null
      },
    )
    return kept
  }
}
