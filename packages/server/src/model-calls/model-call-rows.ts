import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import type { StoredInput } from '../context/model-inputs.ts'
import { readInput } from '../context/read-input.ts'
import type { ModelInput } from '../ports.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** A call of a model, as the journal tells it. `turn_id`: the turn that came of it, if one did. */
export const modelCallSchema = z.object({
  event_seq: z.int(),
  created_at: z.string(),
  run_id: z.string(),
  loop_id: z.string(),
  turn_id: z.string().nullable(),
  /** The one that was asked; a fallback that answered instead is named by the turn. */
  model: z.string(),
})
export type ModelCall = z.infer<typeof modelCallSchema>

/** The same with what it was given. `null` where that cannot be read any more. */
export type GivenModelCall = ModelCall & {
  input: ModelInput | null
  digests: Pick<StoredInput, (typeof DIGESTS)[number]>
}

const DIGESTS = ['system', 'tools', 'messages'] as const

export const givenModelCallSchema = z.object({
  ...modelCallSchema.shape,
  input: z
    .looseObject({
      system: z.string(),
      messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'tool']) })),
      tools: z.array(z.object({ name: z.string(), description: z.string(), input: z.looseObject({}) })),
    })
    .nullable(),
  digests: z.record(z.enum(DIGESTS), z.string()),
})

type Row = Omit<ModelCall, 'created_at' | 'model'> & { at: number; data: string }

// The turn that a loop begins next is the answer; a run that was lost before that began none, and the next call has another.
const CALLS = `SELECT e.event_seq, e.at, e.run_id, e.loop_id, e.data,
    coalesce(e.turn_id, (SELECT t.turn_id FROM events t WHERE t.session_id = e.session_id AND t.event_seq = (
      SELECT min(n.event_seq) FROM events n WHERE n.session_id = e.session_id AND n.event_seq > e.event_seq
        AND n.loop_id = e.loop_id AND (n.type = 'run:model_input' OR (n.type = 'turn:start' AND n.data LIKE '%"role":"assistant"%'))
    ) AND t.type = 'turn:start')) AS turn_id
  FROM events e WHERE e.session_id = ? AND e.type = 'run:model_input'`

export function* listModelCalls(
  session_id: string,
  { limit, offset }: { limit: number; offset: number },
): Work<{ items: ModelCall[]; total: number }> {
  const rows = yield* runSql<Row>(`${CALLS} ORDER BY e.event_seq LIMIT ? OFFSET ?`, [session_id, limit, offset])
  const [count] = yield* runSql<{ n: number }>(
    "SELECT count(*) AS n FROM events WHERE session_id = ? AND type = 'run:model_input'",
    [session_id],
  )
  return { items: rows.map(toModelCall), total: count?.n ?? 0 }
}

export function* readModelCall(session_id: string, event_seq: number): Work<GivenModelCall> {
  const [row] = yield* runSql<Row>(`${CALLS} AND e.event_seq = ?`, [session_id, event_seq])
  if (!row) throw new AgentError('not_found', `There is no call of a model with the number ${event_seq}.`)
  const stored = storedIn(row)
  const input = (stored && (yield* readInput(session_id, stored))) ?? null
  const { system = '', tools = '', messages = '' } = stored ?? {}
  return { ...toModelCall(row), input, digests: { system, tools, messages } }
}

function toModelCall(row: Row): ModelCall {
  const { data: _data, at, ...rest } = row
  return { ...rest, created_at: new Date(at).toISOString(), model: storedIn(row)?.model ?? '' }
}

function storedIn({ data }: Row): StoredInput | undefined {
  return readStored(data) as StoredInput | undefined
}
