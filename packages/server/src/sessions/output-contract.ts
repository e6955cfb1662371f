import { AgentError } from '@parley/protocol'
import type { ValidateFunction } from 'ajv'
import type { OutputContract } from '../core/loop-env.ts'
import type { JsonObject, JsonValue } from '../ports.ts'

const SCHEMA_BYTES = 64 * 1024
const ERRORS_SHOWN = 10

/** The tool that takes a structured result, and its judge; throws `output_schema_invalid` when the schema is of no use. */
export async function outputContract(schema: JsonObject): Promise<OutputContract> {
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES) throw invalid(`it is larger than ${SCHEMA_BYTES} bytes`)
  const validate = await compile(schema)
  // Tools take objects: any other shape travels inside one.
  const isWrapped = schema['type'] !== 'object'
  const input = isWrapped ? { type: 'object', properties: { result: schema }, required: ['result'] } : schema
  return {
    spec: {
      name: 'submit_result',
      description: 'Hand in the final result of this task. The task is done only when this call was accepted.',
      input,
    },
    judge(given: JsonValue) {
      const value =
        isWrapped && typeof given === 'object' && given !== null && 'result' in given ? given['result']! : given
      if (validate(value)) return { ok: true, value }
      return {
        ok: false,
        errors: (validate.errors ?? [])
          .slice(0, ERRORS_SHOWN)
          .map(({ instancePath, message }) => `${instancePath || 'result'} ${message}`),
      }
    },
  }
}

/** The validator is loaded when the first schema comes: most servers never see one. */
async function compile(schema: JsonObject): Promise<ValidateFunction> {
  const isDraft7 = JSON.stringify(schema['$schema'] ?? '').includes('draft-07')
  const options = { strict: false, allErrors: true, validateFormats: false }
  try {
    if (isDraft7) return new (await import('ajv')).Ajv(options).compile(schema)
    return new (await import('ajv/dist/2020.js')).Ajv2020(options).compile(schema)
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

function invalid(reason: string): AgentError {
  return new AgentError('output_schema_invalid', `output_schema is not a usable JSON Schema: ${reason}.`)
}
