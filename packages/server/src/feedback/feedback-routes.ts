import { AgentError, feedbackQuerySchema, giveFeedbackSchema } from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../faces/native/rest/scope.ts'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import type { Sessions } from '../sessions/service.ts'
import type { Engine } from '../store/engine.ts'
import { feedbackIn, giveFeedback, listFeedback } from './feedback.ts'

type OneSession = { Params: { session_id: string } }
type OneTurn = { Params: { session_id: string; turn_id: string } }

const ONE = '/api/sessions/:session_id'

/** Thumbs up and down: given by whoever has the session, read by the account. */
export function feedbackRoutes(
  app: FastifyInstance,
  { engine, sessions }: { engine: Engine; sessions: Sessions },
): void {
  app.put<OneTurn>(`${ONE}/messages/:turn_id/feedback`, async (request) => {
    const { user_id } = principalOf(request)
    const { session_id, turn_id } = request.params
    const { value, comment } = readBody(request, giveFeedbackSchema)
    await sessions.get(principalOf(request), session_id)
    return engine.write(() => giveFeedback({ session_id, turn_id, user_id, value, ...(comment && { comment }) }))
  })

  app.get<OneSession>(`${ONE}/feedback`, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    return { items: await engine.read(() => feedbackIn(session_id)) }
  })

  app.get('/api/feedback', async (request) => {
    const { user_id, subject } = principalOf(request)
    const query = readQuery(request, feedbackQuerySchema)
    if (subject !== undefined) throw new AgentError('forbidden', 'Only the account reads the feedback of its visitors.')
    return engine.read(() => listFeedback(user_id, query))
  })
}
