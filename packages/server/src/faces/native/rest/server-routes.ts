import type { FastifyInstance } from 'fastify'

export type ServerState = 'starting' | 'ok' | 'stopping'

export type ServerRoutesOptions = { version: string; state: () => ServerState; capabilities: readonly string[] }

/** The oldest client package that this server still understands. */
const MIN_SDK = '0.1.0'
const PROTOCOL = '1.0'

/** Health and version: open to everybody, they tell nothing about anybody. */
export function serverRoutes(app: FastifyInstance, { version, state, capabilities }: ServerRoutesOptions): void {
  for (const path of ['/api/health', '/healthz'])
    app.get(path, async (_request, reply) => {
      const status = state()
      return reply.code(status === 'ok' ? 200 : 503).send({ status })
    })
  app.get('/api/version', async () => ({ version, min_sdk: MIN_SDK, protocol: PROTOCOL, capabilities }))
}
