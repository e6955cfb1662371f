import { apiKeyNameSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { Auth } from '../../../auth/auth.ts'
import { readBody } from '../../../http/ignored-fields.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'

type OneKey = { Params: { key_id: string } }

/** [W11.5] A user's own API keys. */
export function apiKeyRoutes(app: FastifyInstance, auth: Auth): void {
  app.get('/api/user/api-keys', needs('account'), async (request) => auth.keys.list(principalOf(request).user_id))

  app.post('/api/user/api-keys', needs('account'), async (request, reply) => {
    const { name } = readBody(request, apiKeyNameSchema)
    return reply.code(201).send(await auth.keys.create(principalOf(request).user_id, name))
  })

  app.get<OneKey>('/api/user/api-keys/:key_id', needs('account'), async (request) =>
    auth.keys.get(principalOf(request).user_id, request.params.key_id),
  )

  app.patch<OneKey>('/api/user/api-keys/:key_id', needs('account'), async (request) => {
    const { name } = readBody(request, apiKeyNameSchema)
    return auth.keys.rename(principalOf(request).user_id, request.params.key_id, name)
  })

  app.delete<OneKey>('/api/user/api-keys/:key_id', needs('account'), async (request, reply) => {
    await auth.revokeKey(principalOf(request).user_id, request.params.key_id)
    return reply.code(204).send()
  })
}
