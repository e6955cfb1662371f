import { Readable } from 'node:stream'
import {
  createdShareSchema,
  sessionSharingSchema,
  shareSchema,
  shareSessionSchema,
  turnProjectionSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { SessionReader } from '../feature.ts'
import { readBody } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { tells } from '../http/told.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import type { Readings } from './readings.ts'
import { sharedTurns } from './shared-turns.ts'
import type { Shares } from './shares.ts'

type OneSession = { Params: { session_id: string } }
type OneShare = { Params: { session_id: string; token: string } }
export type OneLink = { Params: { token: string } }

export type OpenShareOptions = { shares: Shares; sessions: SessionReader; masks: SessionMasks; readings: Readings }

const ONE = '/api/sessions/:session_id'

/** [W12.5] Who has a session decides who else may see it. What a visitor may show to the world is the account's to say. */
export function shareRoutes(app: FastifyInstance, shares: Shares): void {
  const sharing = needs('account', {
    says: ['Makes a link that shows a session to whoever has it', '创建分享链接'],
    body: shareSessionSchema,
    answer: createdShareSchema,
  })
  app.post<OneSession>(`${ONE}/share`, sharing, async (request) => {
    const { ttl_seconds } = readBody(request, shareSessionSchema)
    return shares.create(principalOf(request), request.params.session_id, ttl_seconds)
  })

  const listing = needs('account', { says: ['Links to a session', '列出分享链接'], answer: z.array(shareSchema) })
  app.get<OneSession>(`${ONE}/shares`, listing, async (request) =>
    shares.list(principalOf(request), request.params.session_id),
  )

  const ending = needs('account', {
    says: ['Ends a link, by its token or its id', '撤销分享链接'],
    answer: z.object({ revoked: z.literal(true) }),
  })
  app.delete<OneShare>(`${ONE}/share/:token`, ending, async (request) => {
    const { session_id, token } = request.params
    await shares.revoke(principalOf(request), session_id, token)
    return { revoked: true }
  })

  const switching = needs('account', {
    says: ['Switches all links to a session on or off', '开启或关闭会话分享'],
    body: sessionSharingSchema,
    answer: sessionSharingSchema,
  })
  app.patch<OneSession>(`${ONE}/sharing`, switching, async (request) => {
    const { shared } = readBody(request, sessionSharingSchema)
    await shares.switch(principalOf(request), request.params.session_id, shared)
    return { shared }
  })
}

/** What a link shows, for programs. Open to everybody who has one. */
export function openShareRoute(app: FastifyInstance, { shares, readings, ...options }: OpenShareOptions): void {
  const told = tells({ says: ['What a link shows', '分享链接的内容'], answer: z.array(turnProjectionSchema) })
  app.get<OneLink>('/api/share/:token', told, async (request, reply) => {
    const share = await shares.find(request.params.token)
    readings.begin(share.session_id, reply)
    const pages = sharedTurns(share, { ...options, reader: readerOf(request) })
    return reply
      .type('application/json; charset=utf-8')
      .headers(FOR_NOBODY_ELSE)
      .send(Readable.from(jsonList(pages), { objectMode: false }))
  })
}

/** A link is a secret: no search engine, cache or next page gets it. */
export const FOR_NOBODY_ELSE = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** One list, of which one page is in memory at a time. */
async function* jsonList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '['
  for await (const items of pages)
    for (const item of items) {
      yield before + JSON.stringify(item)
      before = ','
    }
  yield before === '[' ? '[]' : ']'
}
