import { AgentError } from '@parley/protocol'
import type { InboxConfirmation, InboxQuestion, InboxTool } from '@parley/protocol/rest'
import { inboxItemSchema, inboxQuerySchema, inboxSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mayDo } from '../../../auth/principal.ts'
import { readQuery } from '../../../http/ignored-fields.ts'
import { readerOf } from '../../../http/reader.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'
import type { FaceParts } from '../../face.ts'

type InboxParts = Pick<FaceParts, 'sessions' | 'source' | 'tools'>
type OfSession = InboxConfirmation | InboxQuestion

/** [W11.9] Everything that waits for a person, and what people have decided. */
export function inboxRoutes(app: FastifyInstance, { sessions, source, tools }: InboxParts): void {
  const shown = (request: FastifyRequest, item: OfSession): OfSession => {
    if (item.kind === 'question') return item
    const { rewording } = source(readerOf(request))
    return { ...item, display_name: rewording.toolName(item.session_id, item.tool_name) ?? item.display_name }
  }
  /** Only an owner can agree to them. */
  const changedTools = async (request: FastifyRequest): Promise<InboxTool[]> =>
    mayDo(principalOf(request), 'owner') ? (await tools(readerOf(request).language)).flatMap(changedTool) : []

  const listing = needs('decide', {
    says: ['What waits for you, or what was decided last', '列出等你处理的事项或最近的决定'],
    query: inboxQuerySchema,
    answer: inboxSchema,
    bySubject: true,
  })
  app.get('/api/inbox', listing, async (request) => {
    const query = readQuery(request, inboxQuerySchema)
    const found = (await sessions.inbox(principalOf(request), query)).map((item) => shown(request, item))
    const items = [...found, ...(query.status === 'pending' ? await changedTools(request) : [])]
    return { items, total: items.length }
  })

  const reading = needs('decide', {
    says: ['One thing that waits for you, or that was decided', '查看一个等待处理或已处理的事项'],
    answer: inboxItemSchema,
    bySubject: true,
  })
  app.get<{ Params: { id: string } }>('/api/inbox/:id', reading, async (request) => {
    const { id } = request.params
    const tool = (await changedTools(request)).find((one) => one.id === id)
    if (tool) return tool
    if (id.includes('\0')) throw new AgentError('not_found', 'There is no such thing.')
    return shown(request, await sessions.inboxItem(principalOf(request), id))
  })
}

type Listed = {
  name?: string
  display_name?: string
  server?: string
  versions?: Pick<InboxTool, 'approved' | 'offered'>
}

/** What `GET /api/tools` shows of a tool says with `versions` that it is blocked. */
function changedTool({ name, display_name, server, versions }: Listed): InboxTool[] {
  if (name === undefined || server === undefined || !versions) return []
  return [{ kind: 'tool', id: name, display_name: display_name ?? name, server, ...versions }]
}
