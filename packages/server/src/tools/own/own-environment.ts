/** The server's own, which a tool has no business with. */
const SECRETS = [
  'PARLEY_SECRET',
  'PARLEY_OWNER_KEY',
  'PARLEY_DATABASE_URL',
  'PARLEY_MODEL_KEY',
  'PARLEY_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
]

/** What own tools get of the server's environment: all of it, their database's address included, but our own secrets. */
export function ownEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || SECRETS.includes(name) ? [] : [[name, value]],
    ),
  )
}
