import { MAX_JSON_DEPTH, parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import type { JsonValue } from '../../ports.ts'
import type { ProcessWord } from './tool-files.ts'
import { toolSpec } from './tool-spec.ts'

/** Of one word, on the wire. */
export const WORD_BYTES = 4 * 1024 * 1024
/** Of an answer, as text. What `boundResult` leaves in the worst case: every character escaped, `_meta`, what is around it. */
export const ANSWER_CHARACTERS = 6 * 100_100 + 1_000_000 + 1_000
/** What is around a result, or around the schema of a tool. */
const ENVELOPE_DEPTH = 4

const json = z.custom<JsonValue>((value) => value !== undefined)

const problem = z.object({
  file: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string(),
})

const word = z.discriminatedUnion('type', [
  z.object({ type: z.literal('importing'), file: z.string() }),
  z.object({ type: z.literal('begun') }),
  z.object({
    type: z.literal('progress'),
    message: z.string().max(1_000),
    current: z.number().optional(),
    total: z.number().optional(),
  }),
  z.object({ type: z.literal('listed'), tools: z.array(toolSpec), problems: z.array(problem) }),
  z.object({ type: z.literal('done'), status: z.enum(['done', 'error']), result: json, isSpent: z.boolean() }),
])

/** What a line of the channel says: for which job, and what, if that is something that may be said. */
export function readWord(line: string): { job: unknown; word: ProcessWord | undefined } | undefined {
  const said = parseBoundedJson(line, MAX_JSON_DEPTH + ENVELOPE_DEPTH)
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return undefined
  const { data } = word.safeParse(said)
  const isTooLong = data?.type === 'done' && line.length > ANSWER_CHARACTERS
  return { job: 'job' in said ? said.job : undefined, word: isTooLong ? undefined : (data as ProcessWord | undefined) }
}
