/** The arguments object a model wrote; `{ _raw }` holds the text when it is not a JSON object. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Not JSON: handed on as it is, so that the reader still sees what the model wrote.
  }
  return { _raw: text }
}
