import type { z } from 'zod'
import type { JsonValue } from '../ports.ts'

/**
 * Arguments with small slips of a model put right, where their meaning is plain: `null` for what may be left out, one thing
 * instead of a list of one, a number or a truth value as text. Whether they fit now is for the schema to say.
 */
export function mendInput(given: JsonValue, issues: readonly z.core.$ZodIssue[]): JsonValue {
  const mended = structuredClone(given)
  for (const issue of issues) {
    const name = issue.path.at(-1)
    const parent = issue.path.slice(0, -1).reduce<unknown>((value, key) => (value as Fields)?.[key], mended)
    if (issue.code !== 'invalid_type' || name === undefined || typeof parent !== 'object' || parent === null) continue
    mendField(parent as Fields, name, issue.expected)
  }
  return mended
}

type Fields = Record<PropertyKey, unknown>

function mendField(parent: Fields, name: PropertyKey, expected: string): void {
  const value = parent[name]
  if (value === null && !Array.isArray(parent)) delete parent[name]
  else if (expected === 'array' && value !== undefined && value !== null) parent[name] = [value]
  else if (expected === 'boolean' && (value === 'true' || value === 'false')) parent[name] = value === 'true'
  else if (expected === 'number' && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))
    parent[name] = Number(value)
}
