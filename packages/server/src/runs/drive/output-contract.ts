import { AgentError } from '@parley/protocol'
import type { OutputContract } from '../../core/loop-env.ts'
import { checkAgainst, checkSchema } from '../../foreign/check-schema.ts'
import type { JsonObject, JsonValue } from '../../ports.ts'

const SCHEMA_BYTES = 64 * 1024

/** Throws `output_schema_invalid` when a schema is of no use. */
export async function demandSchema(schema: JsonObject): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES) throw invalid(`it is larger than ${SCHEMA_BYTES} bytes`)
  const judged = await checkSchema(schema)
  if ('invalid' in judged) throw invalid(judged.invalid)
  if ('undecided' in judged) throw invalid(judged.undecided)
}

/** The tool that takes a structured result, and its check. What cannot be checked in time does not fit. */
export function outputContract(schema: JsonObject): OutputContract {
  // Tools take objects: any other shape travels inside one.
  const isWrapped = schema['type'] !== 'object'
  const input = isWrapped ? { type: 'object', properties: { result: schema }, required: ['result'] } : schema
  return {
    spec: {
      name: 'submit_result',
      description: 'Hand in the final result of this task. The task is done only when this call was accepted.',
      input,
    },
    async check(given: JsonValue) {
      const value =
        isWrapped && typeof given === 'object' && given !== null && 'result' in given ? given['result']! : given
      const errors = await problemsOf(schema, value)
      return errors.length === 0 ? { ok: true, value } : { ok: false, errors }
    },
  }
}

async function problemsOf(schema: JsonObject, value: JsonValue): Promise<string[]> {
  const judged = await checkAgainst(schema, value)
  if ('problems' in judged)
    return judged.problems.map((problem) => (problem.startsWith('/') ? problem : `result ${problem}`))
  return ['invalid' in judged ? judged.invalid : judged.undecided]
}

function invalid(reason: string): AgentError {
  return new AgentError('output_schema_invalid', `output_schema is not a usable JSON Schema: ${reason}.`)
}
