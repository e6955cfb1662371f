import type { Json } from './tool.ts'

type JsonObject = { [key: string]: Json }

const MAX_CHARACTERS = 100_000
/** What a result has for the page, a card most of all: nobody but the page reads it, so it may be longer. */
const MAX_META_CHARACTERS = 1_000_000

/** How deep JSON may nest, on the wire as well. */
export const MAX_DEPTH = 100

/**
 * A tool's result at a size that models can take: longer ones become text, cut in the middle. `_meta`, given by
 * itself or in the value, stays whole beside it; one that is too long for that is left out, and the result says so.
 */
export function boundResult(value: Json, given: JsonObject | null = null): Json {
  // Too deep to be written down: the loop, which runs every tool, refuses it.
  if (isDeeper(value) || isDeeper(given)) return value
  const own = withMeta(value)
  const meta = given ?? own?._meta ?? null
  if (meta === null || (!given && textOf(value).length <= MAX_CHARACTERS)) return cut(value)
  const length = JSON.stringify(meta).length
  const rest = cut(own ? own.rest : value)
  const more = length > MAX_META_CHARACTERS ? { note: tooLong(length) } : { _meta: meta }
  return isObject(rest) ? { ...rest, ...more } : { result: rest, ...more }
}

/** An object, or its text, that has something for the page. */
function withMeta(value: Json): { rest: JsonObject; _meta: Json } | null {
  const read = typeof value === 'string' && value.includes('"_meta"') ? readJson(value) : value
  if (!isObject(read) || isDeeper(read) || !Object.hasOwn(read, '_meta')) return null
  const { _meta = null, ...rest } = read
  return { rest, _meta }
}

function tooLong(length: number): string {
  return `_meta has ${length} characters, more than ${MAX_META_CHARACTERS}, and was left out: nothing is shown to the user.`
}

function cut(value: Json): Json {
  const text = textOf(value)
  if (text.length <= MAX_CHARACTERS) return value
  const half = MAX_CHARACTERS / 2
  return `${text.slice(0, half)}\n[… ${text.length - MAX_CHARACTERS} characters left out …]\n${text.slice(-half)}`
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

/** Level by level, so that a deep value costs no stack. */
export function isDeeper(value: Json): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) return true
    level = level.flatMap((nested) => Object.values(nested).filter(isNested))
  }
  return false
}

function isNested(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null
}
