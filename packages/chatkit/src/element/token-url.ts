export type FreshToken = {
  token: string
  /** Milliseconds since the epoch; undefined when the answer does not say. */
  expiresAt: number | undefined
}

const MAX_CHARACTERS = 8192
/** A token is replaced this long before its end, or in the last tenth of a short life. */
const MARGIN_MS = 60_000
const MIN_WAIT_MS = 5_000
const MAX_WAIT_MS = 24 * 60 * 60_000

/**
 * Asks the page's own server for a token, with the visitor's sign-in there: POST, or GET where only that is known. The
 * answer is the token as text, or JSON: `{ token, expires_at? }` (a date or seconds) or `{ token, expires_in? }` (seconds).
 */
export async function fetchToken(address: string, signal: AbortSignal): Promise<FreshToken> {
  let response = await ask(address, 'POST', signal)
  if (response.status === 404 || response.status === 405) response = await ask(address, 'GET', signal)
  if (!response.ok) throw new Error(`${address} answered with status ${response.status}.`)
  const text = (await response.text()).trim()
  const found = readToken(text, response.headers.get('content-type') ?? '', Date.now())
  if (!found) throw new Error(`${address} answered with no token: text, or JSON { token }, is expected.`)
  return found
}

export function readToken(text: string, contentType: string, now: number): FreshToken | undefined {
  const isJson = contentType.includes('json') || text.startsWith('{')
  const answer = isJson ? parse(text) : { token: text }
  const { token, expires_at, expires_in } = (answer ?? {}) as Record<string, unknown>
  // A sign-in page where a token was expected is no token.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+( [\x21-\x7e]+)?$/.test(token) || token.startsWith('<'))
    return undefined
  if (token.length > MAX_CHARACTERS) return undefined
  return { token, expiresAt: endOf(expires_at, expires_in, now) }
}

/** How long such a token may be used before it is replaced; undefined: until it is refused. */
export function usableMs({ expiresAt }: FreshToken, now: number): number | undefined {
  if (expiresAt === undefined) return undefined
  const left = expiresAt - now
  return Math.min(Math.max(left - Math.min(MARGIN_MS, left / 10), MIN_WAIT_MS), MAX_WAIT_MS)
}

function ask(address: string, method: 'GET' | 'POST', signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'application/json, text/plain' }
  return fetch(address, { method, headers, credentials: 'same-origin', cache: 'no-store', signal })
}

function endOf(at: unknown, seconds: unknown, now: number): number | undefined {
  if (typeof seconds === 'number' && seconds > 0) return now + seconds * 1000
  const end = typeof at === 'number' ? at * 1000 : typeof at === 'string' ? Date.parse(at) : Number.NaN
  return Number.isFinite(end) && end > now ? end : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
