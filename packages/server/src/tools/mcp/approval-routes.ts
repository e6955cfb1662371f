import { toolEntrySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readBody } from '../../http/ignored-fields.ts'
import { callerOf, needs } from '../../http/signed-in.ts'
import type { McpServers } from './mcp-servers.ts'

export type ApprovalRoutesOptions = {
  /** Who has a tool that is listed under this name. */
  mcpWith: (name: string) => Pick<McpServers, 'approve'>
}

const approvalSchema = z.strictObject({ digest: z.string().min(1) })

/** The owner's word about foreign tools that have changed. */
export function approvalRoutes(app: FastifyInstance, { mcpWith }: ApprovalRoutesOptions): void {
  const approving = needs('owner', {
    says: ['Agrees to a foreign tool as it is offered now', '同意第三方工具的当前版本'],
    body: approvalSchema,
    answer: toolEntrySchema,
  })
  app.post<{ Params: { name: string } }>('/api/tools/:name/approve', approving, async (request) => {
    const { user_id } = callerOf(request)
    const { name } = request.params
    return mcpWith(name).approve(name, readBody(request, approvalSchema).digest, user_id)
  })
}
