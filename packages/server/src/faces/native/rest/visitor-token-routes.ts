import { AgentError } from '@parley/protocol'
import { createTokenSchema, revokeTokensQuerySchema, tokenQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { Auth } from '../../../auth/auth.ts'
import { readBody, readQuery } from '../../../http/ignored-fields.ts'
import { callerOf, needs } from '../../../http/signed-in.ts'

const ALL = '/api/auth/tokens'

/** Tokens for the account's visitors: a product's back end makes them, browsers hold them. */
export function visitorTokenRoutes(app: FastifyInstance, auth: Auth): void {
  app.post(ALL, needs('account'), async (request, reply) => {
    const { user_id, credential } = callerOf(request)
    // They end with what they were made with, and a login is too short-lived for that.
    if (credential.kind !== 'key') throw new AgentError('forbidden', 'Tokens for visitors are made with an API key.')
    return reply.code(201).send(await auth.createToken(user_id, credential.id, readBody(request, createTokenSchema)))
  })

  app.get(ALL, needs('account'), async (request) =>
    auth.tokens.list(callerOf(request).user_id, readQuery(request, tokenQuerySchema)),
  )

  app.delete(ALL, needs('account'), async (request) => {
    const { subject } = readQuery(request, revokeTokensQuerySchema)
    return { revoked: await auth.revokeTokensOf(callerOf(request).user_id, subject) }
  })

  app.delete<{ Params: { id: string } }>(`${ALL}/:id`, needs('account'), async (request, reply) => {
    await auth.revokeToken(callerOf(request).user_id, request.params.id)
    return reply.code(204).send()
  })
}
