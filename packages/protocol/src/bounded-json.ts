/**
 * How deep JSON from outside may nest. Deeper than anything people write, and far from where `JSON.stringify`, a schema
 * or a reader that calls itself runs out of stack.
 */
export const MAX_JSON_DEPTH = 100

/** Parses text from outside. `undefined` when it is no JSON, or nests deeper than that: to a reader it is the same. */
export function parseBoundedJson(text: string, maxDepth = MAX_JSON_DEPTH): unknown {
  if (isTextDeeper(text, maxDepth)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Whether JSON text nests deeper, told without building anything: one pass, no recursion. */
export function isTextDeeper(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  if (text.length <= maxDepth || !opensMore(text, maxDepth)) return false
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isString = false
    } else if (code === QUOTE) isString = true
    else if (code === BRACKET || code === BRACE) {
      if (++depth > maxDepth) return true
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth--
  }
  return false
}

/** Whether so many brackets stand in it at all, wherever they do: most texts are told by this alone, and at once. */
function opensMore(text: string, count: number): boolean {
  let found = 0
  for (const mark of ['{', '['])
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) if (++found > count) return true
  return false
}

/** Whether a value that something else has parsed nests deeper. Level by level, so that a deep one costs no stack. */
export function isDeeper(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maxDepth) return true
    level = level.flatMap((nested) => Object.values(nested).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b]
