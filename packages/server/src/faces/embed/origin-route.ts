import { embedOriginQuerySchema, embedOriginSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { createAccess } from '../../http/access.ts'
import { readQuery } from '../../http/ignored-fields.ts'
import type { PageVisits } from '../../http/page-visits.ts'
import { needs } from '../../http/signed-in.ts'

type OriginOptions = { publicUrl: string | undefined; allowedOrigins: readonly string[]; visits: PageVisits }

/** [W12.8] Whether pages of an origin are let in, and since when they come, for the owner who puts the chat there. */
export function originRoute(scope: FastifyInstance, { publicUrl, allowedOrigins, visits }: OriginOptions): void {
  // The same rules as at the door, without its log: nobody was refused.
  const judge = createAccess({ publicUrl, allowedOrigins })
  const asking = needs('owner', {
    says: ['Whether pages of an origin may use this server, and have', '某来源的网页能否使用本服务器，是否来过'],
    query: embedOriginQuerySchema,
    answer: embedOriginSchema,
  })
  scope.get('/api/embed/origin', asking, async (request) => {
    const { origin } = readQuery(request, embedOriginQuerySchema)
    const { host } = request.headers
    const { localAddress } = request.raw.socket
    const verdict = judge({ method: 'GET', headers: { origin, ...(host !== undefined && { host }) }, localAddress })
    return {
      origin,
      allowed: verdict.isAllowed,
      may_frame: verdict.isAllowed && verdict.takesCookies,
      allowed_origins: allowedOrigins,
      first_visit_at: visits.firstOf(origin),
    }
  })
}
