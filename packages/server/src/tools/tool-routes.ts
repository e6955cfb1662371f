import { pageSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { needs } from '../http/signed-in.ts'
import { readerOf } from '../http/reader.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ToolCatalog } from './catalog.ts'
import { toolEntrySchema } from './listed-tool.ts'

export type ToolRoutesOptions = {
  catalog: Pick<ToolCatalog, 'listed'>
  sandbox: Pick<Sandbox, 'level' | 'reason' | 'limits'>
}

const listSchema = z.object({
  ...pageSchema(toolEntrySchema).shape,
  sandbox: z.object({ level: z.string(), reason: z.string().nullable(), limits: z.record(z.string(), z.unknown()) }),
})

/** What agents can do on this server. */
export function toolRoutes(app: FastifyInstance, { catalog, sandbox }: ToolRoutesOptions): void {
  const { level, reason, limits } = sandbox
  const listing = needs('account', {
    says: ['All tools, and what confines their commands', '列出全部工具及命令沙箱'],
    answer: listSchema,
  })
  app.get('/api/tools', listing, async (request) => {
    const items = await catalog.listed(readerOf(request).language)
    return { items, total: items.length, sandbox: { level, reason, limits } }
  })
}
