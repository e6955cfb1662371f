/** Shorter values are words that happen to be configured: `true`, `zh`, `8020`. */
const SHORTEST_SECRET = 6

/** Takes values of the environment out of a text, longest first: one may be part of another. */
export function secretMask(values: Iterable<string>): (text: string) => string {
  const secrets = [...new Set(values)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
  const forms = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (text) => forms.reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text)
}
