import type { JsonObject, JsonValue } from '../ports.ts'
import { isObject } from './openapi-values.ts'

const MAX_DEPTH = 40
const MAX_DEFINITIONS = 200
export const MAX_DESCRIPTION = 4_000

/** A schema of a document as JSON Schema; anything where there is none. Throws a sentence. */
export function schemaOf(schema: JsonValue | undefined): JsonValue {
  return isObject(schema) || typeof schema === 'boolean' ? plainSchema(schema, 0) : {}
}

export function described(schema: JsonValue, description: JsonValue | undefined): JsonValue {
  if (typeof description !== 'string' || !isObject(schema)) return schema
  return { ...schema, description: description.slice(0, MAX_DESCRIPTION) }
}

/** References to the document become references in the schema itself. */
export function withDefinitions(schema: JsonObject, at: (ref: string) => JsonValue): JsonObject {
  const definitions: Record<string, JsonValue> = {}
  const names = new Map<string, string>()
  const moved = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(moved)
    if (!isObject(value)) return value
    const ref = value['$ref']
    if (typeof ref !== 'string') return mapped(value, moved)
    const known = names.get(ref)
    const name = known ?? `d${names.size}`
    if (known === undefined) {
      names.set(ref, name)
      if (names.size > MAX_DEFINITIONS) throw new Error('its arguments are too much to describe')
      definitions[name] = moved(schemaOf(at(ref)))
    }
    return { $ref: `#/$defs/${name}` }
  }
  const whole = moved(schema) as JsonObject
  return names.size === 0 ? whole : { ...whole, $defs: definitions }
}

/** Said to people who read the document. */
const ABOUT = /^(?:x-.*|xml|discriminator|externalDocs|example|examples|deprecated|nullable|readOnly|writeOnly)$/
/** What lies there are schemas by names of the author's, which may be any. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** What lies there is no schema. */
const VALUES = new Set(['enum', 'const', 'default', 'required', 'type'])

/** OpenAPI 3.0 as JSON Schema, without what only documents use. */
function plainSchema(value: JsonValue, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new Error(`its arguments are nested deeper than ${MAX_DEPTH}`)
  if (Array.isArray(value)) return value.map((one) => plainSchema(one, depth + 1))
  if (!isObject(value)) return value
  if (typeof value['$ref'] === 'string') return { $ref: value['$ref'] }
  const kept = Object.entries(value).filter(
    ([key, item]) => !ABOUT.test(key) && !(/^exclusive(?:Minimum|Maximum)$/.test(key) && typeof item === 'boolean'),
  )
  const plain = (item: JsonValue) => plainSchema(item, depth + 1)
  const schema = Object.fromEntries(
    kept.map(([key, item]) => {
      if (VALUES.has(key)) return [key, item]
      return [key, BY_NAME.has(key) && isObject(item) ? mapped(item, plain) : plain(item)]
    }),
  )
  return value['nullable'] === true && typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : schema
}

function mapped(value: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
}
