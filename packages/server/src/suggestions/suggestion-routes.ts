import { suggestionsSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { suggest, type SuggestOptions } from './suggest.ts'

type OneSession = { Params: { session_id: string } }

/** Questions to go on with after the last answer of a session. */
export function suggestionRoutes(app: FastifyInstance, options: SuggestOptions & { sessions: SessionReader }): void {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  const suggesting = needs('chat', {
    says: ['Questions to go on with', '后续问题建议'],
    answer: suggestionsSchema,
  })
  app.get<OneSession>('/api/sessions/:session_id/suggestions', suggesting, async (request, reply) => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const session = await options.sessions.get(principalOf(request), request.params.session_id)
    return suggest(session, AbortSignal.any([left.signal, closing.signal]), options)
  })
}
