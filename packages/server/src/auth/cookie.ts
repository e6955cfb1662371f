const LOGIN = 'parley_login'
const BEGUN = 'parley_begun'

/** Where a sign-in with OpenID Connect begins and ends: its cookie goes nowhere else. */
export const OIDC_PATH = '/api/auth/oidc'

type CookieOptions = { maxAgeSeconds: number; isSecure: boolean }

/** The login as a browser keeps it: out of reach of scripts, not sent along from other sites. */
export function loginCookie(token: string, options: CookieOptions): string {
  return cookie(`${LOGIN}=${token}; Path=/`, options)
}

export function readLoginCookie(header: string | undefined): string | undefined {
  return read(header, LOGIN)
}

/** What a browser keeps while somebody is at their provider. */
export function begunCookie(kept: string, options: CookieOptions): string {
  return cookie(`${BEGUN}=${kept}; Path=${OIDC_PATH}`, options)
}

export function readBegunCookie(header: string | undefined): string | undefined {
  return read(header, BEGUN)
}

function cookie(value: string, { maxAgeSeconds, isSecure }: CookieOptions): string {
  return `${value}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
}

function read(header: string | undefined, wanted: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === wanted && value) return value
  }
  return undefined
}
