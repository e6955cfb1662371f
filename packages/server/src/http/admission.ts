import type { IncomingHttpHeaders } from 'node:http'
import { AgentError } from '@parley/protocol'
import { readLoginCookie } from '../auth/cookie.ts'
import { type Caller, sha256 } from '../auth/tools.ts'
import type { FailureLimit, Tried } from './failure-limit.ts'

/** A credential as it was brought along. */
export type Presented = { token: string; by: 'bearer' | 'cookie' }

export type AdmissionOptions = { authenticate: (token: string) => Promise<Caller | undefined>; limit: FailureLimit }

const TOKENS_REMEMBERED = 1_000
/**
 * Nobody guesses what is at least this long: our keys, logins and sign-in codes all are. A good one is let in however many
 * others have failed; only shorter keys, which the configuration may give the owner, depend on who shares an address.
 */
export const UNGUESSABLE = 32

/**
 * The door that REST and sockets share: a good credential comes in, bad ones are counted by address. Behind a proxy all
 * the world has one address, so that counting must never keep out whoever has the right thing in hand.
 */
export class Admission {
  readonly #authenticate: AdmissionOptions['authenticate']
  readonly #limit: FailureLimit
  /** Hashes of short keys that were good: failures of others do not lock these out. */
  readonly #known = new Set<string>()

  constructor({ authenticate, limit }: AdmissionOptions) {
    this.#authenticate = authenticate
    this.#limit = limit
  }

  /** The caller, or `unauthorized`, or `rate_limited` for an address with too many bad tries. */
  async admit(presented: Presented | undefined, address: string): Promise<Caller> {
    if (!presented) throw new AgentError('unauthorized', 'Sign in, or send an API key as "Authorization: Bearer …".')
    const isShort = presented.by === 'bearer' && presented.token.length < UNGUESSABLE
    const hash = isShort ? sha256(presented.token) : ''
    // Not even looked at: this is what bounds the guesses.
    if (isShort && !this.#known.has(hash)) this.demandPatience(address, 'short key')
    const caller = await this.#authenticate(presented.token)
    if (isShort) this.#remember(hash, caller !== undefined)
    if (caller) return caller
    const bad = 'This credential is not valid, has expired or was revoked.'
    // A login that has run out is no try at anything, and its browser must hear that it is time to sign in.
    if (presented.by === 'cookie') throw new AgentError('unauthorized', bad)
    throw this.refusal(address, isShort ? 'short key' : 'key', bad)
  }

  /** Counts a bad try and says what to answer. */
  refusal(address: string, tried: Tried, detail: string): AgentError {
    const wait = this.#limit.waitOf(address, tried)
    if (wait > 0) return tooMany(wait)
    this.#limit.failed(address, tried)
    return new AgentError('unauthorized', detail)
  }

  /** `rate_limited` for an address with too many bad tries of this kind. */
  demandPatience(address: string, tried: Tried): void {
    const wait = this.#limit.waitOf(address, tried)
    if (wait > 0) throw tooMany(wait)
  }

  #remember(hash: string, isGood: boolean): void {
    this.#known.delete(hash)
    if (!isGood) return
    if (this.#known.size >= TOKENS_REMEMBERED) this.#known.delete(this.#known.values().next().value!)
    this.#known.add(hash)
  }
}

function tooMany(waitMs: number): AgentError {
  const wait = Math.ceil(waitMs / 1000)
  return new AgentError('rate_limited', `Too many failed sign-ins from this address. Try again in ${wait} s.`, {
    details: { retry_after: wait },
  })
}

/** The bearer token, else the login cookie. A header of another scheme counts as a bad token, not as none. */
export function presentedIn(headers: IncomingHttpHeaders): Presented | undefined {
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

/**
 * A sign-in link is opened, never loaded into a page: an image, a frame or a script of any site could otherwise try codes.
 * Programs and old browsers say nothing about it.
 */
export function demandNavigation(headers: IncomingHttpHeaders): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers
  if (destination === undefined || destination === 'document') return
  if (destination === 'empty' && site === 'same-origin') return
  throw new AgentError('forbidden', 'A sign-in link only works when it is opened by itself.')
}
