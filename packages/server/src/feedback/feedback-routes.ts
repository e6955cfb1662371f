import { feedbackQuerySchema, giveFeedbackSchema, sessionFeedbackQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import type { FeedbackLimit } from './feedback-limit.ts'
import { giveFeedback } from './give-feedback.ts'
import { feedbackIn, feedbackOf } from './list-feedback.ts'

export type FeedbackRoutesOptions = { engine: Engine; journal: Journal; sessions: SessionReader; limit: FeedbackLimit }

type OneSession = { Params: { session_id: string } }
type OneTurn = { Params: { session_id: string; turn_id: string } }

const ONE = '/api/sessions/:session_id'
/** More than the longest comment takes, however it is escaped. */
const FEEDBACK_BYTES = 64 * 1024

/** Thumbs up and down, and comments: given by whoever has the session, read by the account. */
export function feedbackRoutes(
  app: FastifyInstance,
  { engine, journal, sessions, limit }: FeedbackRoutesOptions,
): void {
  const giving = { ...needs('chat'), bodyLimit: FEEDBACK_BYTES }
  app.put<OneTurn>(`${ONE}/messages/:turn_id/feedback`, giving, async (request) => {
    const by = principalOf(request)
    const { session_id, turn_id } = request.params
    const { value, comment = null } = readBody(request, giveFeedbackSchema)
    await sessions.get(by, session_id)
    limit.demandRoom(session_id)
    return engine.write(() => giveFeedback({ session_id, turn_id, by, value, comment }, journal))
  })

  app.get<OneSession>(`${ONE}/feedback`, needs('chat', { bySubject: true }), async (request) => {
    const { session_id } = request.params
    const query = readQuery(request, sessionFeedbackQuerySchema)
    await sessions.get(principalOf(request), session_id)
    return engine.read(() => feedbackIn(session_id, query))
  })

  app.get('/api/feedback', needs('account'), async (request) => {
    const { user_id } = principalOf(request)
    const query = readQuery(request, feedbackQuerySchema)
    return engine.read(() => feedbackOf(user_id, query))
  })
}
