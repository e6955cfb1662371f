import { AgentError } from '@parley/protocol'
import {
  createdTokenSchema,
  createTokenSchema,
  revokeTokensQuerySchema,
  tokenPageSchema,
  tokenQuerySchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Auth } from '../../../auth/auth.ts'
import { readBody, readQuery } from '../../../http/ignored-fields.ts'
import { callerOf, needs } from '../../../http/signed-in.ts'

const ALL = '/api/auth/tokens'

/** Tokens for the account's visitors: a product's back end makes them, browsers hold them. */
export function visitorTokenRoutes(app: FastifyInstance, auth: Auth): void {
  const making = needs('account', {
    says: ['Makes a token for a visitor; needs an API key', '为访客签发令牌；须使用 API 密钥'],
    body: createTokenSchema,
    answer: createdTokenSchema,
    status: 201,
  })
  app.post(ALL, making, async (request, reply) => {
    const { user_id, credential } = callerOf(request)
    // They end with what they were made with, and a login is too short-lived for that.
    if (credential.kind !== 'key') throw new AgentError('forbidden', 'Tokens for visitors are made with an API key.')
    return reply.code(201).send(await auth.createToken(user_id, credential.id, readBody(request, createTokenSchema)))
  })

  const listing = needs('account', {
    says: ['Tokens of visitors', '列出访客令牌'],
    query: tokenQuerySchema,
    answer: tokenPageSchema,
  })
  app.get(ALL, listing, async (request) =>
    auth.tokens.list(callerOf(request).user_id, readQuery(request, tokenQuerySchema)),
  )

  const endingAll = needs('account', {
    says: ['Ends all tokens of a visitor', '吊销某位访客的全部令牌'],
    query: revokeTokensQuerySchema,
    answer: z.object({ revoked: z.int() }),
  })
  app.delete(ALL, endingAll, async (request) => {
    const { subject } = readQuery(request, revokeTokensQuerySchema)
    return { revoked: await auth.revokeTokensOf(callerOf(request).user_id, subject) }
  })

  const ending = needs('account', { says: ['Ends a token at once', '立即吊销令牌'] })
  app.delete<{ Params: { id: string } }>(`${ALL}/:id`, ending, async (request, reply) => {
    await auth.revokeToken(callerOf(request).user_id, request.params.id)
    return reply.code(204).send()
  })
}
