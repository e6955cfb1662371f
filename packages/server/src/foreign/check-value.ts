import type { ValidateFunction } from 'ajv'

/** Both as JSON text. Without a value only the schema is looked at. */
export type SchemaJob = { schema: string; value?: string }

/** `invalid`: the schema itself is of no use. `problems`: what does not fit; none when the value does. */
export type SchemaFindings = { invalid: string } | { problems: string[] }

const PROBLEMS_SHOWN = 10
const PROBLEM_LENGTH = 300
const KEPT = 64

/** Refs stay refs: written out where they are used, a small schema makes a large program. */
const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false, inlineRefs: false } as const

const known = new Map<string, ValidateFunction>()

/** Runs in a process with limits: compiling a foreign schema, and its expressions, may take for ever. */
export async function checkValue({ schema, value }: SchemaJob): Promise<SchemaFindings> {
  let validate: ValidateFunction
  try {
    validate = known.get(schema) ?? (await compile(JSON.parse(schema) as Record<string, unknown>))
  } catch (error) {
    return { invalid: (error as Error).message.slice(0, PROBLEM_LENGTH) }
  }
  known.set(schema, validate)
  if (known.size > KEPT) known.delete(known.keys().next().value!)
  if (value === undefined || validate(JSON.parse(value))) return { problems: [] }
  const problems = (validate.errors ?? []).slice(0, PROBLEMS_SHOWN)
  return {
    problems: problems.map(({ instancePath, message }) => `${instancePath} ${message}`.slice(0, PROBLEM_LENGTH).trim()),
  }
}

async function compile(schema: Record<string, unknown>): Promise<ValidateFunction> {
  // The validator would answer with a promise, which is true whatever it comes to.
  if ('$async' in schema) throw new Error('$async is no keyword of JSON Schema')
  const isDraft7 = JSON.stringify(schema['$schema'] ?? '').includes('draft-07')
  if (isDraft7) return new (await import('ajv')).Ajv(OPTIONS).compile(schema)
  return new (await import('ajv/dist/2020.js')).Ajv2020(OPTIONS).compile(schema)
}
