import type { Ajv } from 'ajv'
import type { JsonObject, JsonValue } from '../../ports.ts'

/** What is wrong with a value, or nothing. */
export type InputCheck = (input: JsonValue) => string | undefined

const PROBLEMS_SHOWN = 5

/** Patterns are left to the server: a foreign expression could keep this process busy for hours. */
const anyText = Object.assign(() => ({ test: () => true }), { code: '() => ({ test: () => true })' })

const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  code: { regExp: anyText },
} as const

/** Makes checks from JSON Schemas of either dialect, each when it is first needed. */
export async function loadInputChecks(): Promise<(schema: JsonObject) => InputCheck> {
  const [draft7, draft2020] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')])
  const validatorFor = (schema: JsonObject) =>
    JSON.stringify(schema['$schema'] ?? '').includes('draft-07')
      ? new draft7.Ajv(OPTIONS)
      : new draft2020.Ajv2020(OPTIONS)
  return (schema) => {
    let validate: ReturnType<Ajv['compile']> | undefined
    return (input) => {
      validate ??= compiled(validatorFor(schema), schema)
      if (validate(input)) return undefined
      const problems = (validate.errors ?? []).slice(0, PROBLEMS_SHOWN)
      return problems.map(({ instancePath, message }) => `${instancePath || 'arguments'} ${message}`).join('; ')
    }
  }
}

function compiled(validator: Pick<Ajv, 'compile'>, schema: JsonObject): ReturnType<Ajv['compile']> {
  try {
    return validator.compile(schema)
  } catch {
    // The server is the judge of its own tools; a schema that we cannot read only costs the early answer.
    return validator.compile({ type: 'object' })
  }
}
