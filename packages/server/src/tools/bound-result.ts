import { isDeeper, parseBoundedJson } from '@parley/protocol/wire'
import type { JsonObject, JsonValue } from '../ports.ts'

const MAX_CHARACTERS = 100_000
/** What a result has for the page, a card most of all: nobody but the page reads it, so it may be longer. */
const MAX_META_CHARACTERS = 1_000_000

/**
 * A foreign tool's result at a size that models can take: longer ones become text, cut in the middle. `_meta`, given by
 * itself or in the value, stays whole beside it; one that is too long for that is left out, and the result says so.
 */
export function boundResult(value: JsonValue, given: JsonObject | null = null): JsonValue {
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
function withMeta(value: JsonValue): { rest: JsonObject; _meta: JsonValue } | null {
  const read = typeof value === 'string' && value.includes('"_meta"') ? parseBoundedJson(value) : value
  if (!isObject(read as JsonValue) || !Object.hasOwn(read as JsonObject, '_meta')) return null
  const { _meta = null, ...rest } = read as JsonObject
  return { rest, _meta }
}

function tooLong(length: number): string {
  return `_meta has ${length} characters, more than ${MAX_META_CHARACTERS}, and was left out: nothing is shown to the user.`
}

function cut(value: JsonValue): JsonValue {
  const text = textOf(value)
  if (text.length <= MAX_CHARACTERS) return value
  const half = MAX_CHARACTERS / 2
  return `${text.slice(0, half)}\n[… ${text.length - MAX_CHARACTERS} characters left out …]\n${text.slice(-half)}`
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
