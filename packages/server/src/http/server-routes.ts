import type { IncomingHttpHeaders } from 'node:http'
import { healthSchema, versionSchema } from '@parley/protocol/schemas'
import { PROTOCOL_VERSION } from '@parley/protocol/wire'
import type { FastifyInstance } from 'fastify'
import type { StorageTrouble } from '../store/errors.ts'
import { tells } from './told.ts'

export type ServerState = 'starting' | 'ok' | 'stopping'

export type ServerRoutesOptions = {
  version: string
  state: () => ServerState
  /** Why nothing can be stored just now; `null` when it can. */
  trouble: () => Promise<StorageTrouble | null>
  capabilities: () => readonly string[]
  /** What only the owner is told; `null` for everybody else. */
  detailsFor: (asker: { headers: IncomingHttpHeaders; ip: string }) => Promise<object | null>
}

/** The oldest client package that this server still understands. */
const MIN_SDK = '0.1.0'

/** Health and version: open to everybody, they tell nothing about anybody but what the owner may know. */
export function serverRoutes(
  app: FastifyInstance,
  { version, state, trouble, capabilities, detailsFor }: ServerRoutesOptions,
): void {
  const health = tells({
    says: ['Whether it works; 503 with the same body when it does not', '运行状态；异常时以 503 返回同样的结构'],
    answer: healthSchema,
  })
  for (const path of ['/api/health', '/healthz'])
    app.get(path, health, async ({ headers, ip }, reply) => {
      const status = state() === 'ok' ? ((await trouble()) ?? 'ok') : state()
      // Whoever has no good credential, or is not known while the store cannot be read, is told less.
      const details = await detailsFor({ headers, ip }).catch(() => null)
      return reply.code(status === 'ok' ? 200 : 503).send({ status, ...(details && { details }) })
    })
  const told = tells({ says: ['Versions, and what this server can do', '版本与能力'], answer: versionSchema })
  app.get('/api/version', told, async () => ({
    ...{ version, min_sdk: MIN_SDK, protocol: PROTOCOL_VERSION },
    capabilities: capabilities(),
  }))
}
