import { feedbackQuerySchema, giveFeedbackSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import type { Engine } from '../store/engine.ts'
import { feedbackIn, giveFeedback, listFeedback } from './feedback.ts'

type OneSession = { Params: { session_id: string } }
type OneTurn = { Params: { session_id: string; turn_id: string } }

const ONE = '/api/sessions/:session_id'

/** Thumbs up and down: given by whoever has the session, read by the account. */
export function feedbackRoutes(
  app: FastifyInstance,
  { engine, sessions }: { engine: Engine; sessions: SessionReader },
): void {
  app.put<OneTurn>(`${ONE}/messages/:turn_id/feedback`, needs('chat'), async (request) => {
    const { user_id } = principalOf(request)
    const { session_id, turn_id } = request.params
    const { value, comment } = readBody(request, giveFeedbackSchema)
    await sessions.get(principalOf(request), session_id)
    return engine.write(() => giveFeedback({ session_id, turn_id, user_id, value, ...(comment && { comment }) }))
  })

  app.get<OneSession>(`${ONE}/feedback`, needs('chat', { bySubject: true }), async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    return { items: await engine.read(() => feedbackIn(session_id)) }
  })

  app.get('/api/feedback', needs('account'), async (request) => {
    const { user_id } = principalOf(request)
    const query = readQuery(request, feedbackQuerySchema)
    return engine.read(() => listFeedback(user_id, query))
  })
}
