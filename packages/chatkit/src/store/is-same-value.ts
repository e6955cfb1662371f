/** Equal as JSON values are. What adapters write is data, so identity says nothing. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => key in b && isSameValue((a as Fields)[key], (b as Fields)[key]))
  )
}

type Fields = Record<string, unknown>
