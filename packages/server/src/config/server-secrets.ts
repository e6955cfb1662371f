/** How variables and options are called that hold what nobody else may learn. */
export const SECRET_NAME = /key|token|secret|pass|pwd|credential|auth|dsn|private|cookie|(?:database|redis)_?url/i
const CONFIG_DEPTH = 6

/** A value that must appear nowhere, and what it is called. */
export type KnownSecret = { name: string; value: string }

/** Of the server itself: its environment, and what its configuration says under a name like `apiKey`. */
export function serverSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>>,
): KnownSecret[] {
  const variables = Object.entries(environment).filter(([name]) => SECRET_NAME.test(name))
  const { tools: _own, langchainTools: _foreign, ...options } = config
  return [...variables.flatMap(([name, value]) => secretsIn(name, value)), ...inConfig(options, [])]
}

function inConfig(options: object, path: readonly string[]): KnownSecret[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const place = [...path, name]
    if (typeof value === 'object' && value !== null) return place.length > CONFIG_DEPTH ? [] : inConfig(value, place)
    const isSecret = SECRET_NAME.test(name) || ['env', 'headers'].includes(path.at(-1) ?? '')
    return isSecret && typeof value === 'string' ? secretsIn(place.join('.'), value) : []
  })
}

/** Of an address the password is the secret. */
function secretsIn(name: string, value: string | undefined): KnownSecret[] {
  if (value === undefined) return []
  const address = URL.parse(value)
  if (!address?.host) return [{ name, value }]
  if (address.password === '') return []
  return [...new Set([address.password, decoded(address.password)])].map((password) => ({ name, value: password }))
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
