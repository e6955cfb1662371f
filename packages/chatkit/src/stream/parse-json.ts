import { parseBoundedJson } from '@parley/protocol/wire'

/** The value, or `undefined` when the text is not JSON or nests too deep to be shown. */
export function parseJson(text: unknown): unknown {
  return typeof text === 'string' ? parseBoundedJson(text) : undefined
}

export type JsonObject = Record<string, unknown>

/** The value if it is an object, else an empty one: what a platform leaves out reads as absent. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value if it is a string, else `''`. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
