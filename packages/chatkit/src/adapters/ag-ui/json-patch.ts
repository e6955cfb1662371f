import { asArray, asObject, asText } from '../../stream/parse-json.ts'

/** RFC 6902 without `test`: `add`, `remove`, `replace`, `move`, `copy`. A step that does not fit is skipped. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  return asArray(patch)
    .map(asObject)
    .reduce<unknown>((value, { op, path, from, value: given }) => {
      const to = keysOf(asText(path))
      const source = keysOf(asText(from))
      switch (op) {
        case 'add':
        case 'replace':
          return withValue(value, to, { value: given, isAdded: op === 'add' })
        case 'remove':
          return without(value, to)
        case 'copy':
          return withValue(value, to, { value: valueAt(value, source), isAdded: true })
        case 'move':
          return withValue(without(value, source), to, { value: valueAt(value, source), isAdded: true })
        default:
          return value
      }
    }, document)
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
}

/** `isAdded`: into a list, between what stands there. */
type Put = { value: unknown; isAdded: boolean }

function withValue(target: unknown, [key, ...rest]: readonly string[], put: Put): unknown {
  if (key === undefined) return put.value
  if (Array.isArray(target)) {
    const index = key === '-' ? target.length : Number(key)
    if (rest.length > 0) return target.with(index, withValue(target[index], rest, put))
    return put.isAdded ? target.toSpliced(index, 0, put.value) : target.with(index, put.value)
  }
  const object = asObject(target)
  return { ...object, [key]: withValue(object[key], rest, put) }
}

function without(target: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return undefined
  if (Array.isArray(target)) {
    const index = Number(key)
    return rest.length > 0 ? target.with(index, without(target[index], rest)) : target.toSpliced(index, 1)
  }
  const object = asObject(target)
  if (rest.length > 0) return { ...object, [key]: without(object[key], rest) }
  const { [key]: _, ...left } = object
  return left
}
