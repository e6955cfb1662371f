/** Why an outgoing request came to nothing. */
export type EgressErrorCode =
  /** Not an address that anything here may ask: no URL, another scheme, credentials inside, a closed port. */
  | 'refused_url'
  /** The host is, or resolves to, something that is not on the public internet, or the operator's list denies it. */
  | 'refused_host'
  | 'not_found'
  /** A redirect leads to a host that nobody agreed to yet. */
  | 'other_host'
  | 'too_many_redirects'
  | 'timeout'
  | 'network'

/** The message is for people and models: it names the address and holds no credentials. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code: EgressErrorCode
  /** What an operator may say otherwise in the configuration. */
  readonly option: string | undefined

  constructor(code: EgressErrorCode, message: string, options: ErrorOptions & { option?: string } = {}) {
    super(message, options)
    this.code = code
    this.option = options.option
  }
}

/** The error of this module in a chain of causes: `fetch` and sockets wrap what they were given. */
export function findEgressError(error: unknown): EgressError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof EgressError) return at
  return undefined
}
