import type { IncomingHttpHeaders } from 'node:http'
import { AgentError } from '@parley/protocol'
import { readLoginCookie } from '../auth/cookie.ts'
import { type Caller, sha256 } from '../auth/tools.ts'
import type { FailureLimit } from './failure-limit.ts'

/** A credential as it was brought along. */
export type Offer = { token: string; by: 'bearer' | 'cookie' }

export type AdmissionOptions = { authenticate: (token: string) => Promise<Caller | undefined>; limit: FailureLimit }

const TOKENS_REMEMBERED = 1_000

/** The door that REST and sockets share: a good credential comes in, bad ones are counted by address. */
export class Admission {
  readonly #authenticate: AdmissionOptions['authenticate']
  readonly #limit: FailureLimit
  /** Hashes of tokens that were good: an address full of bad tries (a proxy) does not lock these out. */
  readonly #known = new Set<string>()

  constructor({ authenticate, limit }: AdmissionOptions) {
    this.#authenticate = authenticate
    this.#limit = limit
  }

  /** The caller, or `unauthorized`, or `rate_limited` for an address with too many bad tries. */
  async admit(offer: Offer | undefined, address: string): Promise<Caller> {
    if (!offer) throw new AgentError('unauthorized', 'Sign in, or send an API key as "Authorization: Bearer …".')
    const hash = sha256(offer.token)
    if (!this.#known.has(hash)) this.demandPatience(address)
    const caller = await this.#authenticate(offer.token)
    if (!caller) {
      this.#known.delete(hash)
      this.refused(address)
      throw new AgentError('unauthorized', 'This credential is not valid, has expired or was revoked.')
    }
    if (this.#known.size >= TOKENS_REMEMBERED) this.#known.delete(this.#known.values().next().value!)
    this.#known.add(hash)
    return caller
  }

  demandPatience(address: string): void {
    const wait = Math.ceil(this.#limit.waitOf(address) / 1000)
    if (wait > 0)
      throw new AgentError('rate_limited', `Too many failed sign-ins from this address. Try again in ${wait} s.`, {
        details: { retry_after: wait },
      })
  }

  refused(address: string): void {
    this.#limit.failed(address)
  }
}

/** The bearer token, else the login cookie. A header of another scheme counts as a bad token, not as none. */
export function offerOf(headers: IncomingHttpHeaders): Offer | undefined {
  const { authorization, cookie } = headers
  if (authorization !== undefined) return { token: /^bearer +(.+)$/i.exec(authorization)?.[1] ?? '', by: 'bearer' }
  const token = readLoginCookie(cookie)
  return token === undefined ? undefined : { token, by: 'cookie' }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A browser sends its cookie along whoever wrote the page, so a change must come from a page we know: an Origin (checked
 * before), or a browser's word that it is our own page.
 */
export function demandOwnPage(method: string, headers: IncomingHttpHeaders): void {
  if (READING.has(method) || headers.origin !== undefined) return
  const site = headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return
  throw new AgentError(
    'forbidden',
    'A request with a login cookie that changes something needs an Origin. Programs use an API key.',
  )
}
