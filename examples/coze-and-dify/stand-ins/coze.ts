import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { type Frame, pieces, play, sendJson } from './play.ts'

const ANSWER =
  '水在 **0 °C** 结冰。盐会降低冰点：\n\n| 水 | 冰点 |\n| --- | --- |\n| 淡水 | 0 °C |\n| 海水 | −1.9 °C |\n'
const BOT = {
  name: '水文助手',
  onboarding_info: { prologue: '你好！问我关于**水**的事。', suggested_questions: ['水几度结冰？', '海水呢？'] },
}

/** Coze v3, as far as a chat needs it: `/v1/bots`, `/v1/conversation/create`, `/v3/chat`. */
export function coze(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://coze')
  // Refused inside an answer of status 200, as the platform does it.
  if (request.headers.authorization !== 'Bearer fresh')
    return sendJson(response, { code: 4100, msg: 'authentication is invalid', detail: { logid: 'stand-in' } })
  if (pathname === '/v3/chat') return void chat(request, response).catch(() => response.destroy())
  if (pathname.startsWith('/v1/bots/')) return ok(response, BOT)
  if (pathname === '/v1/conversation/create') return ok(response, { id: '7400000000000000001' })
  if (pathname === '/v1/conversations') return ok(response, { has_more: false, conversations: [] })
  sendJson(response, { code: 4200, msg: `There is no ${pathname} here` }, 404)
}

const ok = (response: ServerResponse, data: unknown) => sendJson(response, { code: 0, msg: '', data })

async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { additional_messages } = (await json(request)) as { additional_messages?: { content?: string }[] }
  await play(response, events(additional_messages?.at(-1)?.content ?? ''))
}

function* events(question: string): Generator<Frame> {
  const ids = { conversation_id: '7400000000000000001', bot_id: '7379462189365198898' }
  const chat = { id: '7400000000000000002', ...ids }
  const message = (id: string, type: string, content: string) => ({
    ...ids,
    id,
    chat_id: chat.id,
    role: 'assistant',
    type,
    content,
    content_type: 'text',
  })
  yield { event: 'conversation.chat.created', data: { ...chat, status: 'created' } }
  const call = JSON.stringify({ name: 'water-search', arguments: { query: question } })
  yield { event: 'conversation.message.completed', data: message('7400000000000000003', 'function_call', call) }
  const hits = { items: [{ title: '冰点', url: 'https://example.org/ice', summary: '零度', site_name: '水文网' }] }
  const found = JSON.stringify({ content_type: 1, response_for_model: JSON.stringify(hits), type_for_model: 1 })
  yield { event: 'conversation.message.completed', data: message('7400000000000000004', 'tool_response', found) }
  for (const piece of pieces(ANSWER))
    yield { event: 'conversation.message.delta', data: message('7400000000000000005', 'answer', piece) }
  yield { event: 'conversation.message.completed', data: message('7400000000000000005', 'answer', ANSWER) }
  yield { event: 'conversation.message.completed', data: message('7400000000000000006', 'follow_up', '为什么要撒盐？') }
  const usage = { token_count: 42, output_count: 30, input_count: 12 }
  yield { event: 'conversation.chat.completed', data: { ...chat, status: 'completed', usage } }
  yield { event: 'done', data: '"[DONE]"' }
}
