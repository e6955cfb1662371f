import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { SessionReader } from '../feature.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { parse } from '../http/parse.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { listModelCalls, readModelCall } from './model-call-rows.ts'

type OneSession = { Params: { session_id: string } }
type OneCall = { Params: { session_id: string; event_seq: string } }

const CALLS = '/api/sessions/:session_id/model-calls'

/** What models were given, for the account: it holds the system prompt and the tools. */
export function modelCallRoutes(
  app: FastifyInstance,
  { engine, sessions }: { engine: Engine; sessions: SessionReader },
): void {
  app.get<OneSession>(CALLS, needs('account', { bySubject: true }), async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const page = readQuery(request, pageSchema)
    return engine.read(() => listModelCalls(session_id, page))
  })

  app.get<OneCall>(`${CALLS}/:event_seq`, needs('account', { bySubject: true }), async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const event_seq = parse(numberSchema, request.params.event_seq, () => {})
    return engine.read(() => readModelCall(session_id, event_seq))
  })
}

const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
})
const numberSchema = z.coerce.number().int().positive()
