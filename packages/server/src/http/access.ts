import type { IncomingHttpHeaders } from 'node:http'

export type AccessOptions = {
  /** Where people reach this server when that is not the address it listens on. */
  publicUrl: string | undefined
  /** Origins of other sites whose pages may talk to this server, e.g. `https://app.example.com`. */
  allowedOrigins: readonly string[]
}

/** What a request says about where it came from and where it wanted to go. */
export type Arrival = {
  method: string
  headers: IncomingHttpHeaders
  /** Our side of the connection. */
  localAddress: string | undefined
}

export type Verdict =
  | { isAllowed: false; reason: string }
  /** `headers` let the page that asked read the answer; `isPreflight`: answer 204 with them and do nothing else. */
  | { isAllowed: true; headers: Record<string, string>; isPreflight: boolean }

/** Host and Origin checks, the same for every transport: a page of another site gets nothing, whatever name it uses. */
export function createAccess({ publicUrl, allowedOrigins }: AccessOptions): (arrival: Arrival) => Verdict {
  const origins = new Set([...(publicUrl ? [publicUrl] : []), ...allowedOrigins].map((url) => new URL(url).origin))
  const hosts = new Set([...origins].map((origin) => new URL(origin).hostname))

  return ({ method, headers, localAddress }) => {
    const host = parseHost(headers.host)
    if (!host || !(isLocal(host.hostname) || hosts.has(host.hostname) || isAddress(host.hostname, localAddress)))
      return {
        isAllowed: false,
        reason: `This server does not answer to the name ${headers.host ?? '(none)'}. Add it with PARLEY_PUBLIC_URL.`,
      }
    const { origin } = headers
    if (origin === undefined) return { isAllowed: true, headers: {}, isPreflight: false }
    // A page that this server itself delivered has the Host it was asked for as its origin.
    const isOwnPage = parseHost(/^https?:\/\/(.+)$/.exec(origin)?.[1])?.host === host.host
    if (!isOwnPage && !origins.has(origin))
      return {
        isAllowed: false,
        reason: `Pages of ${origin} may not use this server. Add the origin with PARLEY_ALLOWED_ORIGINS.`,
      }
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    return { isAllowed: true, headers: corsHeaders(origin, isPreflight), isPreflight }
  }
}

function corsHeaders(origin: string, isPreflight: boolean): Record<string, string> {
  const headers = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' }
  if (!isPreflight) return { ...headers, 'access-control-expose-headers': 'Retry-After' }
  return {
    ...headers,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, Accept',
    'access-control-max-age': '600',
  }
}

function parseHost(host: string | undefined): URL | undefined {
  const url = host ? URL.parse(`http://${host}`) : null
  return url && url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '' ? url : undefined
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
