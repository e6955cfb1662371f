import type { JsonObject, JsonValue } from '../../ports.ts'

type Definition = {
  typeName?: string
  description?: string
  shape?: () => Record<string, unknown>
  innerType?: unknown
  schema?: unknown
  in?: unknown
  type?: unknown
  valueType?: unknown
  options?: unknown
  values?: unknown
  value?: unknown
  checks?: { kind: string; value?: number }[]
}

/**
 * The JSON Schema of a zod 3 schema, from what it tells of itself: zod 3 has no converter of its own. A kind that is not
 * known here takes any value; the tool itself still checks.
 */
export function zod3JsonSchema(schema: unknown): JsonObject {
  const definition = definitionOf(schema)
  const json = bare(definition)
  return definition.description === undefined ? json : { ...json, description: definition.description }
}

function bare(definition: Definition): JsonObject {
  const { typeName, innerType, type, valueType, options, values, value, checks = [] } = definition
  switch (typeName) {
    case 'ZodObject':
      return objectSchema(definition.shape?.() ?? {})
    case 'ZodString':
      return { type: 'string', ...limits(checks, 'minLength', 'maxLength') }
    case 'ZodNumber':
      return { type: checks.some(({ kind }) => kind === 'int') ? 'integer' : 'number', ...limits(checks) }
    case 'ZodBoolean':
      return { type: 'boolean' }
    case 'ZodArray':
      return { type: 'array', items: zod3JsonSchema(type) }
    case 'ZodRecord':
      return { type: 'object', additionalProperties: zod3JsonSchema(valueType) }
    case 'ZodEnum':
      return { type: 'string', enum: values as JsonValue[] }
    case 'ZodNativeEnum':
      return { enum: Object.values(values as Record<string, JsonValue>) }
    case 'ZodLiteral':
      return { const: value as JsonValue }
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return { anyOf: [...(options as Iterable<unknown>)].map(zod3JsonSchema) }
    case 'ZodNullable':
      return { anyOf: [zod3JsonSchema(innerType), { type: 'null' }] }
    case 'ZodOptional':
    case 'ZodDefault':
    case 'ZodCatch':
    case 'ZodReadonly':
      return zod3JsonSchema(innerType)
    case 'ZodBranded':
      return zod3JsonSchema(type)
    case 'ZodEffects':
      return zod3JsonSchema(definition.schema)
    case 'ZodPipeline':
      return zod3JsonSchema(definition.in)
    default:
      return {}
  }
}

function objectSchema(shape: Record<string, unknown>): JsonObject {
  const properties = Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, zod3JsonSchema(part)]))
  const required = Object.keys(shape).filter((name) => !mayBeMissing(shape[name]))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

function mayBeMissing(schema: unknown): boolean {
  const { typeName = '', innerType, schema: effect } = definitionOf(schema)
  if (['ZodOptional', 'ZodDefault', 'ZodCatch', 'ZodAny', 'ZodUnknown'].includes(typeName)) return true
  const inner = innerType ?? effect
  return inner !== undefined && mayBeMissing(inner)
}

function limits(checks: { kind: string; value?: number }[], min = 'minimum', max = 'maximum'): JsonObject {
  const names: Record<string, string> = { min, max }
  return Object.fromEntries(
    checks.flatMap(({ kind, value }) => (names[kind] && value !== undefined ? [[names[kind], value]] : [])),
  )
}

function definitionOf(schema: unknown): Definition {
  return (schema as { _def?: Definition } | null)?._def ?? {}
}
