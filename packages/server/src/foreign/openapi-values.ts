import type { JsonObject, JsonValue } from '../ports.ts'

/** What lies at a key; something empty when it is missing, or of another kind. */
export function objectAt(at: JsonObject, key: string): JsonObject {
  const value = at[key]
  return isObject(value) ? value : {}
}

export function listAt(at: JsonObject, key: string): JsonValue[] {
  const value = at[key]
  return Array.isArray(value) ? value : []
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Numbers are written as people write them: YAML takes `3.1` for one. */
export function textAt(at: JsonObject, key: string): string {
  const value = at[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
