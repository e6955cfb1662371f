import type { SessionDetail } from '@parley/protocol'
import {
  createdSessionSchema,
  createSessionSchema,
  messagesQuerySchema,
  pinSessionSchema,
  sessionDetailSchema,
  sessionEnvSchema,
  sessionHistorySchema,
  sessionMemorySchema,
  sessionPageSchema,
  sessionQuerySchema,
  turnProjectionSchema,
  updateSessionSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ignore, readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Sessions } from '../../../sessions/service.ts'
import type { Rewording } from '../../../words/rewording.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'
const MASKED = '***'

/** [W11.2] Sessions, and [W11.3] their messages. */
export function sessionRoutes(
  app: FastifyInstance,
  sessions: Sessions,
  rewordingFor: (request: FastifyRequest) => Rewording,
): void {
  /** A session's detail shows the question that waits. */
  const shown = async (request: FastifyRequest, detail: Promise<SessionDetail>): Promise<SessionDetail> => {
    const { pending_question, ...rest } = await detail
    return {
      ...rest,
      pending_question: pending_question && rewordingFor(request).question(rest.id, pending_question),
    }
  }

  const making = needs('chat', {
    says: ['Makes a session', '创建会话'],
    body: createSessionSchema,
    answer: createdSessionSchema,
  })
  app.post('/api/sessions', making, async (request) => {
    const body = readBody(request, createSessionSchema)
    const session = await sessions.create(principalOf(request), body)
    ignore(request, withoutEffect(body))
    return { session_id: session.id, ...session }
  })

  const listing = needs('chat', {
    says: ['Your sessions, the newest first', '列出自己的会话，最新的在前'],
    query: sessionQuerySchema,
    answer: sessionPageSchema,
    bySubject: true,
  })
  app.get('/api/sessions', listing, async (request) =>
    sessions.list(principalOf(request), readQuery(request, sessionQuerySchema)),
  )

  const reading = needs('chat', { says: ['One session', '查看会话'], answer: sessionDetailSchema, bySubject: true })
  app.get<OneSession>(ONE, reading, async (request) =>
    shown(request, sessions.detail(principalOf(request), request.params.session_id)),
  )

  const renaming = needs('chat', {
    says: ['Renames a session', '重命名会话'],
    body: updateSessionSchema,
    answer: sessionDetailSchema,
  })
  app.patch<OneSession>(ONE, renaming, async (request) => {
    const { intent } = readBody(request, updateSessionSchema)
    const { session_id } = request.params
    const principal = principalOf(request)
    return shown(
      request,
      intent === null ? sessions.detail(principal, session_id) : sessions.update(principal, session_id, { intent }),
    )
  })

  const deleting = needs('chat', {
    says: ['Deletes a session and all that belongs to it', '删除会话及其全部内容'],
    answer: z.object({ deleted: z.boolean() }),
    bySubject: true,
  })
  app.delete<OneSession>(ONE, deleting, async (request) => {
    await sessions.delete(principalOf(request), request.params.session_id)
    return { deleted: true }
  })

  const pinning = needs('chat', {
    says: ['Keeps a session at the top, or not', '置顶或取消置顶会话'],
    body: pinSessionSchema,
    answer: sessionDetailSchema,
  })
  app.patch<OneSession>(`${ONE}/pin`, pinning, async (request) => {
    const { pinned } = readBody(request, pinSessionSchema)
    return shown(request, sessions.update(principalOf(request), request.params.session_id, { is_pinned: pinned }))
  })

  const remembering = needs('chat', {
    says: ['Switches memory on or off for a session', '开启或关闭会话的记忆'],
    body: sessionMemorySchema,
    answer: sessionDetailSchema,
  })
  app.patch<OneSession>(`${ONE}/memory`, remembering, async (request) => {
    const { memory_enabled } = readBody(request, sessionMemorySchema)
    return shown(request, sessions.update(principalOf(request), request.params.session_id, { memory_enabled }))
  })

  // [W12.8] The account's to set, like all that an agent works with.
  const setting = needs('account', {
    says: ['Sets the variables of a session’s commands; values never come back', '设置会话命令的环境变量；值不再返回'],
    body: sessionEnvSchema,
    answer: z.object({ ...sessionDetailSchema.shape, env: z.record(z.string(), z.string()) }),
  })
  app.put<OneSession>(`${ONE}/env`, setting, async (request) => {
    const { env } = readBody(request, sessionEnvSchema)
    const detail = await shown(request, sessions.update(principalOf(request), request.params.session_id, { env }))
    return { ...detail, env: Object.fromEntries(Object.keys(env).map((name) => [name, MASKED])) }
  })

  // As the model gets them: with words about hosts and settings that are not meant for visitors.
  const recounting = needs('account', {
    says: ['The messages as the model gets them', '模型收到的消息历史'],
    answer: sessionHistorySchema,
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/history`, recounting, async (request) =>
    sessions.history(principalOf(request), request.params.session_id),
  )

  const listingTurns = needs('chat', {
    says: ['The turns of a session', '会话的消息'],
    query: messagesQuerySchema,
    answer: z.array(turnProjectionSchema),
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/messages`, listingTurns, async (request) => {
    const { before, after, limit, branches } = readQuery(request, messagesQuerySchema)
    const page = {
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(branches === 'all' && { branches }),
    }
    const { session_id } = request.params
    const rewording = rewordingFor(request)
    const turns = await sessions.messages(principalOf(request), session_id, page)
    return turns.map((turn) => rewording.turn(session_id, turn))
  })
}

/** Fields that the origin's programs send and nothing is behind: the session is made without them, and says so. */
function withoutEffect(body: z.output<typeof createSessionSchema>): string[] {
  const legacy = ['template_id', 'software_factory_id', 'workspace_id'] as const
  return legacy.filter((name) => body[name] !== null)
}
