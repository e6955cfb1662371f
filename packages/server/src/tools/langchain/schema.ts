import { z } from 'zod'
import type { JsonObject, JsonValue } from '../../ports.ts'
import { zod3JsonSchema } from './zod3-json-schema.ts'

const ANY_OBJECT: JsonObject = { type: 'object' }
const PROBLEMS_SHOWN = 10

type Zod = { safeParse: (value: unknown) => { success: boolean; error?: { issues: Issue[] } } }
type Issue = { path: PropertyKey[]; message: string }

/** The tool's schema as models get it, whichever kind it is: zod 4, zod 3 or JSON Schema. An unknown kind takes any object. */
export function jsonSchemaOf(schema: unknown): JsonObject {
  const json = isZod4(schema) ? fromZod4(schema) : isZod(schema) ? zod3JsonSchema(schema) : plainSchema(schema)
  const { $schema: _dialect, ...rest } = json
  return rest['type'] === 'object' ? (withoutSafeIntegerBounds(rest) as JsonObject) : ANY_OBJECT
}

/** What is wrong with these arguments, or nothing. JSON Schemas are checked by the tool itself when it is called. */
export function checkWith(schema: unknown, input: JsonValue): string | undefined {
  if (!isZod(schema)) return undefined
  try {
    const { success, error } = schema.safeParse(input)
    if (success) return undefined
    return error?.issues
      .slice(0, PROBLEMS_SHOWN)
      .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
      .join('; ')
  } catch {
    // It checks asynchronously: the tool will do it.
    return undefined
  }
}

function isZod(schema: unknown): schema is Zod {
  return typeof schema === 'object' && schema !== null && 'safeParse' in schema
}

function isZod4(schema: unknown): schema is z.ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

function fromZod4(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
}

function plainSchema(schema: unknown): JsonObject {
  return typeof schema === 'object' && schema !== null ? (schema as JsonObject) : ANY_OBJECT
}

/** zod says of every integer that it is a safe one; models need not read it. */
function withoutSafeIntegerBounds(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSafeIntegerBounds)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([, item]) => item !== Number.MAX_SAFE_INTEGER && item !== Number.MIN_SAFE_INTEGER,
  )
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutSafeIntegerBounds(item)]))
}
