import {
  feedbackPageSchema,
  feedbackQuerySchema,
  giveFeedbackSchema,
  givenFeedbackSchema,
  sessionFeedbackQuerySchema,
} from '@parley/protocol/schemas'
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
  const said = needs('chat', {
    says: ['Likes or dislikes an answer; null takes it back', '评价一条回答；value 为 null 时撤回'],
    body: giveFeedbackSchema,
    answer: givenFeedbackSchema,
  })
  const giving = { ...said, bodyLimit: FEEDBACK_BYTES }
  app.put<OneTurn>(`${ONE}/messages/:turn_id/feedback`, giving, async (request) => {
    const by = principalOf(request)
    const { session_id, turn_id } = request.params
    const { value, comment = null } = readBody(request, giveFeedbackSchema)
    await sessions.get(by, session_id)
    limit.demandRoom(session_id)
    return engine.write(() => giveFeedback({ session_id, turn_id, by, value, comment }, journal))
  })

  const listingOf = needs('chat', {
    says: ['What was thought of a session’s answers', '会话中的评价'],
    query: sessionFeedbackQuerySchema,
    answer: feedbackPageSchema,
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/feedback`, listingOf, async (request) => {
    const { session_id } = request.params
    const query = readQuery(request, sessionFeedbackQuerySchema)
    await sessions.get(principalOf(request), session_id)
    return engine.read(() => feedbackIn(session_id, query))
  })

  const listing = needs('account', {
    says: ['What was thought of all answers, visitors’ included', '全部评价，包括访客的'],
    query: feedbackQuerySchema,
    answer: feedbackPageSchema,
  })
  app.get('/api/feedback', listing, async (request) => {
    const { user_id } = principalOf(request)
    const query = readQuery(request, feedbackQuerySchema)
    return engine.read(() => feedbackOf(user_id, query))
  })
}
