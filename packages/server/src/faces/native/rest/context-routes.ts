import {
  compactedSessionSchema,
  contextStatsSchema,
  messagesTokensSchema,
  promptTokensSchema,
  tokenizeMessagesSchema,
  tokenizePromptSchema,
} from '@parley/protocol/schemas'
import type { CompactedSession, MessagesTokens, PromptTokens } from '@parley/protocol/rest'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Patience } from '../../../http/patience.ts'
import { readBody } from '../../../http/ignored-fields.ts'
import { readerOf } from '../../../http/reader.ts'
import { callerOf, needs, principalOf } from '../../../http/signed-in.ts'
import type { FaceParts } from '../../face.ts'
import { waitForCompaction } from '../wait-for-compaction.ts'

type OneSession = FastifyRequest<{ Params: { session_id: string } }>

const ONE = '/api/sessions/:session_id'
/** What stands around a message, and what opens an answer. */
const AROUND_MESSAGE = 4
const OPENING = 3
/** As long as anybody waits for a summary. */
const COMPACT_MS = 10 * 60_000

/** [W12.2] What models get: how much it is, and less of it. */
export function contextRoutes(app: FastifyInstance, parts: Pick<FaceParts, 'sessions' | 'source' | 'door'>): void {
  const { sessions } = parts
  const compacting = needs('chat', {
    says: ['Puts a summary in place of what was said so far', '压缩会话上下文'],
    answer: compactedSessionSchema,
  })
  app.post(`${ONE}/compact`, compacting, async (request: OneSession, reply) => compact(request, reply, parts))

  const measuring = needs('chat', {
    says: ['How much the next call of the model would be given', '下一次模型调用的上下文用量'],
    answer: contextStatsSchema,
    bySubject: true,
  })
  app.get(`${ONE}/context-stats`, measuring, async (request: OneSession) =>
    sessions.contextStats(principalOf(request), request.params.session_id),
  )

  const countingText = needs('account', {
    says: ['Counts the tokens of a text', '统计文本的 token 数'],
    body: tokenizePromptSchema,
    answer: promptTokensSchema,
  })
  app.post('/api/sessions/tokenize/prompt', countingText, async (request): Promise<PromptTokens> => {
    const { prompt, model: named } = readBody(request, tokenizePromptSchema)
    const { model, counts, estimated } = await sessions.tokens(named, [prompt])
    return { model, token_count: counts[0]!, estimated }
  })

  const countingMessages = needs('account', {
    says: ['Counts the tokens of messages', '统计消息的 token 数'],
    body: tokenizeMessagesSchema,
    answer: messagesTokensSchema,
  })
  app.post('/api/sessions/tokenize/messages', countingMessages, async (request): Promise<MessagesTokens> => {
    const body = readBody(request, tokenizeMessagesSchema)
    const tools = body.tools?.length ? JSON.stringify(body.tools) : ''
    const texts = [tools, ...body.messages.map(textOf)]
    const { model, counts } = await sessions.tokens(body.model, texts)
    const [tools_tokens = 0, ...inMessages] = counts
    const per_message = inMessages.map((count) => count + AROUND_MESSAGE)
    const opening = body.add_generation_prompt ? OPENING : 0
    const token_count = per_message.reduce((sum, count) => sum + count, tools_tokens + opening)
    // How a provider puts messages together is its own affair.
    return { model, token_count, per_message, tools_tokens, estimated: true }
  })
}

async function compact(
  request: OneSession,
  reply: FastifyReply,
  { sessions, source, door }: Pick<FaceParts, 'sessions' | 'source' | 'door'>,
): Promise<CompactedSession | FastifyReply> {
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: COMPACT_MS, door, credential })
  const accepted = await sessions.compact(principalOf(request), request.params.session_id)
  const compaction = await waitForCompaction(source(readerOf(request)), accepted, patience.over)
  // Whoever has hung up hears nothing; the compaction goes on.
  return compaction ? { status: 'ok', compaction } : reply.hijack()
}

/** All words of a message in the form of chat completions, pictures aside. */
function textOf(message: Record<string, unknown>): string {
  const { content, tool_calls, ...rest } = message
  const parts = Array.isArray(content) ? (content as Record<string, unknown>[]) : [{ text: content }]
  const said = parts.map((part) => (typeof part?.['text'] === 'string' ? part['text'] : '')).join('')
  const role = typeof rest['role'] === 'string' ? rest['role'] : ''
  return `${role}${said}${tool_calls === undefined ? '' : JSON.stringify(tool_calls)}`
}
