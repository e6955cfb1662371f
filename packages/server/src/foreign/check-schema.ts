import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../ports.ts'
import type { SchemaJob, SchemaFindings } from './check-value.ts'
import { LimitedProcess, LimitError } from './limited-process.ts'

/** `undecided`: it could not be found out in time, and why. */
export type CheckedSchema = SchemaFindings | { undecided: string }

const HOPELESS_KEPT = 1_000

const worker = new LimitedProcess({ job: 'schema', timeLimitMs: 1_000, memoryMb: 128 })
const hopeless = new Set<string>()

/** Can this be used as a JSON Schema? Draft 2020-12, or draft-07 where it says so; refs only inside the document. */
export function checkSchema(schema: JsonObject): Promise<CheckedSchema> {
  return check({ schema: JSON.stringify(schema) })
}

/** Does a value fit a schema that somebody else wrote? Neither ever runs on the main thread. */
export function checkAgainst(schema: JsonObject, value: JsonValue): Promise<CheckedSchema> {
  return check({ schema: JSON.stringify(schema), value: JSON.stringify(value) })
}

async function check(job: SchemaJob): Promise<CheckedSchema> {
  const id = createHash('sha256').update(job.schema).digest('base64')
  if (hopeless.has(id)) return { undecided: 'checking against this schema took too long before' }
  try {
    return await worker.run<SchemaFindings>(job)
  } catch (error) {
    // A schema that was too slow once is not tried again: others wait for the same process.
    if (error instanceof LimitError && error.reason === 'slow') hopeless.add(id)
    if (hopeless.size > HOPELESS_KEPT) hopeless.delete(hopeless.keys().next().value!)
    return { undecided: (error as Error).message }
  }
}
