import { z } from 'zod'
import type { JsonSchema, ValueOf } from './json-schema.ts'
import { problemsIn } from './problems-in.ts'
import { type Json, OWN_TOOL, type OwnTool, type ToolOptions } from './tool.ts'

const TIMEOUT_MS = 120_000
const LONGEST_MS = 3_600_000

/** What is written, checked once more: not everybody has a compiler. */
const optionsSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'has 1 to 64 letters, digits, _ or -')
    // Existing chats draw such calls as sub-agents.
    .regex(/^(?!.*(?:agent|fork))/i, 'may not contain "agent" or "fork"'),
  description: z.string().min(1),
  display_name: z
    .union([z.string().min(1), z.strictObject({ zh: z.string().min(1), en: z.string().min(1) })])
    .optional(),
  input: z.custom<z.ZodType | JsonSchema>((value) => typeof value === 'object' && value !== null, 'must be a schema'),
  risk: z.enum(['low', 'medium', 'high']).default('medium'),
  requiresConfirmation: z.boolean().default(false),
  readOnly: z.boolean().default(false),
  replay: z.enum(['safe', 'never', 'keyed']).default('never'),
  timeoutMs: z.int().min(1).max(LONGEST_MS).default(TIMEOUT_MS),
  run: z.custom<OwnTool['run']>((value) => typeof value === 'function', 'must be a function'),
})

/** A function of yours as a tool: its arguments have the types of its schema, and only such reach it. */
export function defineTool<Schema extends z.ZodType>(tool: ToolOptions<Schema, z.output<Schema>>): OwnTool
export function defineTool<const Schema extends JsonSchema>(tool: ToolOptions<Schema, ValueOf<Schema>>): OwnTool
export function defineTool(tool: ToolOptions<z.ZodType | JsonSchema, never>): OwnTool {
  const written = optionsSchema.safeParse(tool)
  if (!written.success) throw new TypeError(`defineTool(${nameOf(tool)}): ${slipsIn(written.error).join('; ')}`)
  const { input, display_name = written.data.name, ...rest } = written.data
  const { zh, en } = typeof display_name === 'string' ? { zh: display_name, en: display_name } : display_name
  return {
    [OWN_TOOL]: 1,
    ...rest,
    display_name: { zh, en },
    input: jsonSchemaOf(input, rest.name),
    ...(isZod(input) && { parse: (given: unknown) => parse(input, given) }),
  }
}

/** Whether a value is what `defineTool` returns, also that of another copy of this package. */
export function isTool(value: unknown): value is OwnTool {
  return typeof value === 'object' && value !== null && OWN_TOOL in value && value[OWN_TOOL] === 1
}

function slipsIn({ issues }: z.ZodError): string[] {
  const known = Object.keys(optionsSchema.shape)
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0)
      return problemsIn(new z.ZodError([issue]), 'the tool')
    return issue.keys.map((key) => {
      const meant = known.find((name) => plain(name) === plain(key))
      return `${key}: there is no such field. ${meant ? `Did you mean ${meant}?` : `Fields are: ${known.join(', ')}.`}`
    })
  })
}

/** `readonly`, `read_only` and `readOnly` are the same slip. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

function nameOf(tool: unknown): string {
  const { name } = (tool ?? {}) as { name?: unknown }
  return typeof name === 'string' ? `"${name}"` : '…'
}

function isZod(schema: z.ZodType | JsonSchema): schema is z.ZodType {
  return 'safeParseAsync' in schema
}

function jsonSchemaOf(schema: z.ZodType | JsonSchema, name: string): { [key: string]: Json } {
  let made: unknown
  if ('safeParse' in schema && !('_zod' in schema))
    throw new TypeError(`defineTool("${name}"): input: is a schema of zod 3; zod 4 is needed`)
  try {
    made = isZod(schema) ? z.toJSONSchema(schema, { io: 'input' }) : JSON.parse(JSON.stringify(schema))
  } catch (error) {
    throw new TypeError(`defineTool("${name}"): input: ${(error as Error).message}`, { cause: error })
  }
  const { $schema: _dialect, ...json } = made as { [key: string]: Json }
  if (json['type'] === 'object') return json
  throw new TypeError(`defineTool("${name}"): input: must be a schema of an object`)
}

async function parse(schema: z.ZodType, given: unknown): ReturnType<NonNullable<OwnTool['parse']>> {
  const parsed = await schema.safeParseAsync(given)
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problems: problemsIn(parsed.error) }
}
