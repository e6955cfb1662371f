import { z } from 'zod'
import type { JsonSchema, ValueOf } from './json-schema.ts'
import { type Json, OWN_TOOL, type OwnTool, type ToolOptions } from './tool.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const TIMEOUT_MS = 120_000

/** A function of yours as a tool: its arguments have the types of its schema, and only such reach it. */
export function defineTool<Schema extends z.ZodType>(tool: ToolOptions<Schema, z.output<Schema>>): OwnTool
export function defineTool<const Schema extends JsonSchema>(tool: ToolOptions<Schema, ValueOf<Schema>>): OwnTool
export function defineTool(tool: ToolOptions<z.ZodType | JsonSchema, never>): OwnTool {
  const { name, display_name = name, input, preview } = tool
  if (!NAME.test(name)) throw new TypeError(`${name}: a tool's name has 1 to 64 letters, digits, _ or -.`)
  const { zh, en } = typeof display_name === 'string' ? { zh: display_name, en: display_name } : display_name
  return {
    [OWN_TOOL]: 1,
    name,
    description: tool.description,
    display_name: { zh, en },
    input: jsonSchemaOf(input),
    risk: tool.risk ?? 'medium',
    requiresConfirmation: tool.requiresConfirmation ?? false,
    readOnly: tool.readOnly ?? false,
    replay: tool.replay ?? 'never',
    timeoutMs: tool.timeoutMs ?? TIMEOUT_MS,
    ...(preview && { preview }),
    ...(isZod(input) && { parse: (given: unknown) => parse(input, given) }),
    run: tool.run,
  }
}

function isZod(schema: z.ZodType | JsonSchema): schema is z.ZodType {
  return 'safeParse' in schema
}

function jsonSchemaOf(schema: z.ZodType | JsonSchema): { [key: string]: Json } {
  const { $schema: _dialect, ...json } = (isZod(schema) ? z.toJSONSchema(schema, { io: 'input' }) : schema) as {
    [key: string]: Json
  }
  return json
}

function parse(schema: z.ZodType, given: unknown): ReturnType<NonNullable<OwnTool['parse']>> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return { ok: true, value: parsed.data }
  return {
    ok: false,
    problems: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`),
  }
}
