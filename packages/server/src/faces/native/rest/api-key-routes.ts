import { apiKeyNameSchema, apiKeySchema, createdApiKeySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Auth } from '../../../auth/auth.ts'
import { readBody } from '../../../http/ignored-fields.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'

type OneKey = { Params: { key_id: string } }

const ALL = '/api/user/api-keys'
const ONE = `${ALL}/:key_id`

/** [W11.5] A user's own API keys. */
export function apiKeyRoutes(app: FastifyInstance, auth: Auth): void {
  const listing = needs('account', { says: ['Your API keys', '列出自己的 API 密钥'], answer: z.array(apiKeySchema) })
  app.get(ALL, listing, async (request) => auth.keys.list(principalOf(request).user_id))

  const making = needs('account', {
    says: ['Makes an API key; its text is told this once', '创建 API 密钥；明文只返回这一次'],
    body: apiKeyNameSchema,
    answer: createdApiKeySchema,
    status: 201,
  })
  app.post(ALL, making, async (request, reply) => {
    const { name } = readBody(request, apiKeyNameSchema)
    return reply.code(201).send(await auth.keys.create(principalOf(request).user_id, name))
  })

  const reading = needs('account', { says: ['One API key', '查看一个 API 密钥'], answer: apiKeySchema })
  app.get<OneKey>(ONE, reading, async (request) => auth.keys.get(principalOf(request).user_id, request.params.key_id))

  const renaming = needs('account', {
    says: ['Renames an API key', '重命名 API 密钥'],
    body: apiKeyNameSchema,
    answer: apiKeySchema,
  })
  app.patch<OneKey>(ONE, renaming, async (request) => {
    const { name } = readBody(request, apiKeyNameSchema)
    return auth.keys.rename(principalOf(request).user_id, request.params.key_id, name)
  })

  const ending = needs('account', { says: ['Ends an API key at once', '立即吊销 API 密钥'] })
  app.delete<OneKey>(ONE, ending, async (request, reply) => {
    await auth.revokeKey(principalOf(request).user_id, request.params.key_id)
    return reply.code(204).send()
  })
}
