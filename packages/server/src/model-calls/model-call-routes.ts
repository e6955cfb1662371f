import { pageSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { SessionReader } from '../feature.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { parse } from '../http/parse.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { givenModelCallSchema, listModelCalls, modelCallSchema, readModelCall } from './model-call-rows.ts'

type OneSession = { Params: { session_id: string } }
type OneCall = { Params: { session_id: string; event_seq: string } }

const CALLS = '/api/sessions/:session_id/model-calls'

/** What models were given, for the account: it holds the system prompt and the tools. */
export function modelCallRoutes(
  app: FastifyInstance,
  { engine, sessions }: { engine: Engine; sessions: SessionReader },
): void {
  const listing = needs('account', {
    says: ['Calls of models in a session', '会话中的模型调用'],
    query: querySchema,
    answer: pageSchema(modelCallSchema),
    bySubject: true,
  })
  app.get<OneSession>(CALLS, listing, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const page = readQuery(request, querySchema)
    return engine.read(() => listModelCalls(session_id, page))
  })

  const reading = needs('account', {
    says: ['What a model was given, word for word', '一次模型调用的完整输入'],
    answer: givenModelCallSchema,
    bySubject: true,
  })
  app.get<OneCall>(`${CALLS}/:event_seq`, reading, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const event_seq = parse(numberSchema, request.params.event_seq, () => {})
    return engine.read(() => readModelCall(session_id, event_seq))
  })
}

const querySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
})
const numberSchema = z.coerce.number().int().positive()
