/** The login as a browser keeps it: out of reach of scripts, not sent along from other sites. */
const NAME = 'parley_login'

export function loginCookie(
  token: string,
  { maxAgeSeconds, isSecure }: { maxAgeSeconds: number; isSecure: boolean },
): string {
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
}

export function readLoginCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === NAME && value) return value
  }
  return undefined
}
