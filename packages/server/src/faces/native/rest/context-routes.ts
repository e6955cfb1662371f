import { tokenizeMessagesSchema, tokenizePromptSchema } from '@parley/protocol/schemas'
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
  app.post(`${ONE}/compact`, needs('chat'), async (request: OneSession, reply) => compact(request, reply, parts))

  app.get(`${ONE}/context-stats`, needs('chat', { bySubject: true }), async (request: OneSession) =>
    sessions.contextStats(principalOf(request), request.params.session_id),
  )

  app.post('/api/sessions/tokenize/prompt', needs('account'), async (request): Promise<PromptTokens> => {
    const { prompt, model: named } = readBody(request, tokenizePromptSchema)
    const { model, counts, estimated } = await sessions.tokens(named, [prompt])
    return { model, token_count: counts[0]!, estimated }
  })

  app.post('/api/sessions/tokenize/messages', needs('account'), async (request): Promise<MessagesTokens> => {
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
