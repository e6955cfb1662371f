import type { FastifyInstance } from 'fastify'
import { needs } from '../http/signed-in.ts'
import { readerOf } from '../http/reader.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ToolCatalog } from './catalog.ts'

export type ToolRoutesOptions = {
  catalog: Pick<ToolCatalog, 'listed'>
  sandbox: Pick<Sandbox, 'level' | 'reason' | 'limits'>
}

/** What agents can do on this server. */
export function toolRoutes(app: FastifyInstance, { catalog, sandbox }: ToolRoutesOptions): void {
  const { level, reason, limits } = sandbox
  app.get('/api/tools', needs('account'), async (request) => {
    const items = await catalog.listed(readerOf(request).language)
    return { items, total: items.length, sandbox: { level, reason, limits } }
  })
}
