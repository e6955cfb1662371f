import type { Ports } from './ports.ts'
import { type TokenGetter, TokenSource } from './token-source.ts'

export type ParleyClientOptions = {
  /** Origin of the server, without a path; `""` is the page's own origin (browsers only). */
  baseUrl: string
  /** An API key, or a getter of the token; in browsers one for a visitor. None: the login cookie. */
  token?: string | null | TokenGetter
  /** Language of what the server itself says, e.g. `zh-CN`; a getter is read like the token. None: the browser's, else the server's. */
  language?: string | null | (() => string | null | undefined)
}

export type ClientOptions = {
  /** Without a trailing slash. */
  origin: string
  tokens: TokenSource
  readLanguage: () => string | null
  /** A sign-in can be renewed only where cookies live. */
  isBrowser: boolean
  ports: Ports
}

/** Checks the options once; inside, nothing is optional. */
export function resolveOptions(options: ParleyClientOptions, ports: Ports): ClientOptions {
  const { baseUrl, token = null, language = null } = options
  return {
    origin: originOf(baseUrl),
    tokens: new TokenSource(token),
    readLanguage: () => (typeof language === 'function' ? language() : language) || null,
    isBrowser: pageOrigin() !== undefined,
    ports,
  }
}

function originOf(baseUrl: string): string {
  if (baseUrl === '') {
    const own = pageOrigin()
    if (own) return own
    throw new TypeError('baseUrl is empty. Outside a browser, give the server’s address, e.g. http://127.0.0.1:8020.')
  }
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(`baseUrl must be an http(s) address such as http://127.0.0.1:8020; it is "${baseUrl}".`)
  const { origin, pathname, search, hash, username } = new URL(baseUrl)
  if (pathname !== '/' || search || hash || username)
    throw new TypeError(`baseUrl must be an origin without a path; use "${origin}".`)
  return origin
}

function pageOrigin(): string | undefined {
  const { document, location } = globalThis as { document?: unknown; location?: { origin: string } }
  return document === undefined ? undefined : location?.origin
}
