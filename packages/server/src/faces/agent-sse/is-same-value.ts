/** JSON values with the same content, however their fields are ordered. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && isSameValue((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
  )
}
