import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Frame, pieces, play, sendJson } from './play.ts'

const IDS = {
  conversation_id: '45701982-8118-4bc5-8e9b-64562b4555f2',
  message_id: '9da23599-e713-473b-982c-4328d4f5c78a',
  task_id: 'c3800678-a077-43df-a102-53f23ed20b88',
}
const ANSWER = 'The tide **turns at six** [1]. Boats leave the harbour half an hour before.'
const PARAMETERS = {
  opening_statement: 'Ahoy! Ask me about the harbour.',
  suggested_questions: ['When does the tide turn?'],
  suggested_questions_after_answer: { enabled: true },
}

/** Dify's service API, as far as a chat needs it: `/parameters`, `/chat-messages`, `/messages/…/suggested`. */
export function dify(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://dify')
  if (pathname === '/chat-messages') return void play(response, events()).catch(() => response.destroy())
  if (pathname === '/parameters') return sendJson(response, PARAMETERS)
  if (pathname.endsWith('/suggested')) return sendJson(response, { result: 'success', data: ['And tomorrow?'] })
  if (pathname === '/conversations') return sendJson(response, { limit: 20, has_more: false, data: [] })
  sendJson(response, { code: 'not_found', message: `There is no ${pathname} here`, status: 404 }, 404)
}

function* events(): Generator<Frame> {
  const frame = (event: string, fields: object) => ({ data: { event, ...IDS, created_at: 1705395332, ...fields } })
  for (const answer of pieces(ANSWER)) yield frame('message', { id: IDS.message_id, answer })
  yield { event: 'ping' }
  yield frame('message_end', {
    id: IDS.message_id,
    metadata: {
      usage: { prompt_tokens: 20, completion_tokens: 19, total_tokens: 39, latency: 1.5 },
      retriever_resources: [
        { position: 1, dataset_name: 'Harbour', document_name: 'tides.pdf', score: 0.9, content: '06:00 high water' },
      ],
    },
    files: [],
  })
}
