import type { JsonObject, JsonValue } from '../../ports.ts'

/** A value that fits a JSON Schema: the simplest one, always the same. Knows the keywords that people use. */
export function sampleValue(schema: JsonValue | undefined, root: JsonObject = asObject(schema)): JsonValue {
  return valueOf(schema, { root, values: 0 }, 0)
}

type Sample = { root: JsonObject; values: number }

/** A schema may refer to itself, or ask for more than anybody wants to see. */
const MAX_DEPTH = 12
const MAX_ITEMS = 20
const MAX_CHARACTERS = 10_000
const MAX_VALUES = 10_000

function valueOf(schema: JsonValue | undefined, sample: Sample, depth: number): JsonValue {
  if (depth > MAX_DEPTH || ++sample.values > MAX_VALUES || !isObject(schema)) return 'demo'
  const given = schema['const'] ?? schema['default'] ?? firstOf(schema['enum']) ?? firstOf(schema['examples'])
  if (given !== undefined) return given
  if (typeof schema['$ref'] === 'string') return valueOf(resolve(schema['$ref'], sample.root), sample, depth + 1)
  const alternative = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf'])
  if (alternative !== undefined) return valueOf(alternative, sample, depth + 1)
  if (Array.isArray(schema['allOf'])) return valueOf(merged(schema, schema['allOf']), sample, depth + 1)
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, sample, depth)
    case 'array': {
      const length = Math.min(MAX_ITEMS, Math.max(1, Number(schema['minItems'] ?? 1)) || 1)
      return Array.from({ length }, () => valueOf(schema['items'], sample, depth + 1))
    }
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return stringOf(schema)
  }
}

function objectOf(schema: JsonObject, sample: Sample, depth: number): JsonObject {
  const properties = asObject(schema['properties'])
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  // Deep down only what is required, so that a schema that contains itself comes to an end.
  const names = depth > 4 ? required : [...new Set([...Object.keys(properties), ...required])]
  return Object.fromEntries(names.map((name) => [name, valueOf(properties[name], sample, depth + 1)]))
}

function numberOf(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number') return minimum
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + Number(multipleOf ?? 1)
  if (typeof maximum === 'number') return Math.min(maximum, 0)
  if (typeof exclusiveMaximum === 'number') return Math.min(exclusiveMaximum - 1, 0)
  return Number(multipleOf ?? 1)
}

function stringOf({ format, minLength, maxLength }: JsonObject): string {
  const text = (typeof format === 'string' ? FORMATS[format] : undefined) ?? 'demo'
  const padded = typeof minLength === 'number' ? text.padEnd(Math.min(minLength, MAX_CHARACTERS), '.') : text
  return typeof maxLength === 'number' ? padded.slice(0, maxLength) : padded
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'demo@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function typeOf(schema: JsonObject): JsonValue | undefined {
  const { type } = schema
  if (Array.isArray(type)) return type[0]
  return type ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : undefined)
}

function merged(schema: JsonObject, parts: JsonValue[]): JsonObject {
  const { allOf: _, ...own } = schema
  return [own, ...parts].map(asObject).reduce((all, part) => ({
    ...all,
    ...part,
    properties: { ...asObject(all['properties']), ...asObject(part['properties']) },
    required: [all['required'] ?? [], part['required'] ?? []].flat(),
  }))
}

function resolve(pointer: string, root: JsonObject): JsonValue | undefined {
  const steps = pointer.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce<JsonValue | undefined>(
    (at, step) => asObject(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  )
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? value[0] : undefined
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}
