import type { ServerOptions } from './options.ts'

/** How variables are called that hold what nobody else may learn. */
const SECRET_NAME = /key|token|secret|passw|credential|auth|database_url|dsn|private|cookie/i

/** Values that must appear nowhere, from the environment and from the configuration's own keys. */
export function environmentSecrets(
  environment: NodeJS.ProcessEnv,
  { ownerKey, secret, modelKey, anthropicApiKey, openaiApiKey, databaseUrl, models = [] }: ServerOptions,
): string[] {
  const named = Object.entries(environment).flatMap(([name, value]) => (value && SECRET_NAME.test(name) ? [value] : []))
  const configured = [ownerKey, secret, modelKey, anthropicApiKey, openaiApiKey, databaseUrl]
  const keys = [...configured, ...models.map(({ apiKey }) => apiKey)].filter((value) => value !== undefined)
  return [...new Set([...named, ...keys, ...passwordsIn(keys)])]
}

/** Of an address, its password is the secret. */
function passwordsIn(values: readonly string[]): string[] {
  return values.flatMap((value) => {
    const password = URL.parse(value)?.password
    return password ? [password, decodeURIComponent(password)] : []
  })
}
