import type { IncomingHttpHeaders } from 'node:http'
import { say } from '../words/phrases.ts'

export type AccessOptions = {
  /** Where people reach this server when that is not the address it listens on. */
  publicUrl: string | undefined
  /** Origins of other sites whose pages may talk to this server, e.g. `https://app.example.com`. */
  allowedOrigins: readonly string[]
  /** Somebody was sent away: a page of this origin, or whoever asked for this host. */
  onRefused?: (refused: Refused) => void
  /** A page of this origin was let in, with more than the question whether it may. */
  onPage?: (origin: string) => void
}

export type Refused = { what: 'origin' | 'host'; name: string }

/** What a request says about where it came from and where it wanted to go. */
export type Arrival = {
  method: string
  headers: IncomingHttpHeaders
  /** Our side of the connection. */
  localAddress: string | undefined
}

export type AccessVerdict =
  | { isAllowed: false; reason: string }
  /**
   * `headers` let the page that asked read the answer; `isPreflight`: answer 204 with them and do nothing else.
   * `takesCookies`: the login cookie counts. Otherwise it is as if it had not been sent.
   */
  | { isAllowed: true; headers: Record<string, string>; isPreflight: boolean; takesCookies: boolean }

export type Access = (arrival: Arrival) => AccessVerdict

/**
 * Host and Origin checks, the same for every transport: a page of another site gets nothing, whatever name it uses. A page
 * on this machine, where somebody is building one, may use the token it has, and never a cookie.
 */
export function createAccess({ publicUrl, allowedOrigins, onRefused, onPage }: AccessOptions): Access {
  const origins = new Set([...(publicUrl ? [publicUrl] : []), ...allowedOrigins].map((url) => new URL(url).origin))
  const hosts = new Set([...origins].map((origin) => new URL(origin).hostname))
  const refuse = (what: Refused['what'], name: string): AccessVerdict => {
    onRefused?.({ what, name })
    return { isAllowed: false, reason: say(`refused.${what}`, 'en', { [what]: name }) }
  }

  return ({ method, headers, localAddress }) => {
    const host = parseHost(headers.host)
    if (!host || !(isLocal(host.hostname) || hosts.has(host.hostname) || isAddress(host.hostname, localAddress)))
      return refuse('host', headers.host ?? '(none)')
    const { origin } = headers
    if (origin === undefined) return { isAllowed: true, headers: {}, isPreflight: false, takesCookies: true }
    // A page that this server itself delivered has the Host it was asked for as its origin.
    const page = parseHost(/^https?:\/\/(.+)$/.exec(origin)?.[1])
    const takesCookies = page?.host === host.host || origins.has(origin)
    if (!takesCookies && !(page && isLocal(page.hostname))) return refuse('origin', origin)
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    if (!isPreflight) onPage?.(origin)
    return { isAllowed: true, headers: corsHeaders(origin, isPreflight, takesCookies), isPreflight, takesCookies }
  }
}

function corsHeaders(origin: string, isPreflight: boolean, takesCookies: boolean): Record<string, string> {
  const headers = {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    ...(takesCookies && { 'access-control-allow-credentials': 'true' }),
  }
  if (!isPreflight) return { ...headers, 'access-control-expose-headers': 'Retry-After' }
  return {
    ...headers,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': 'Authorization, Content-Type, Accept, Accept-Language',
    'access-control-max-age': '600',
  }
}

/** A name or an address, and a port. Not all that a URL would take for one: it goes into headers of ours. */
function parseHost(host = ''): URL | undefined {
  const isPlain = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host)
  return (isPlain && URL.parse(`http://${host}`)) || undefined
}

/** Whether a Host header names this machine itself. */
export function isLocalHost(host: string | undefined): boolean {
  const parsed = parseHost(host)
  return parsed !== undefined && isLocal(parsed.hostname)
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]'
}

/** A name can be made to point at any address; an address in the Host can only be the one that was connected to. */
function isAddress(hostname: string, localAddress: string | undefined): boolean {
  if (hostname === '0.0.0.0' || hostname === '[::]') return true
  const local = localAddress?.replace(/^::ffff:/, '')
  return local !== undefined && (hostname === local || hostname === `[${local}]`)
}
