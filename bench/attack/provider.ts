/**
 * A model provider that is told by the user's message what to answer, as JSON:
 *
 *   { "shape": n }                     a malformed stream
 *   { "flood": "text" | "thinking" | "arguments" | "calls" }   an answer without an end, cut at 60 MB
 *   { "calls": [[name, arguments], …] }   tool calls, then "done"
 *   { "text": "…" }                    those words
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { shape } from './shapes.ts'

type Told = { shape?: number; flood?: string; calls?: [string, unknown][]; text?: string }
type Body = { messages: { role: string; content: unknown }[] }

const FLOOD_BYTES = 60_000_000

const server = createServer((request, response) => {
  // It has no list of models.
  if (request.method !== 'POST') return void response.writeHead(404).end()
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void answer(JSON.parse(body) as Body, response)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))

async function answer({ messages }: Body, response: ServerResponse): Promise<void> {
  const told = toldBy(messages)
  const isDone = messages.at(-1)?.role === 'tool'
  if (told.shape !== undefined) return send(response, shape(told.shape))
  if (told.flood && !isDone) return flood(response, FLOODS[told.flood]!)
  if (told.calls && !isDone) return send(response, callsOf(told.calls))
  send(response, [delta({ content: told.text ?? 'done' }), finish('stop'), '[DONE]'])
}

function toldBy(messages: Body['messages']): Told {
  const asked = messages.findLast(({ role }) => role === 'user')?.content
  const text = Array.isArray(asked) ? (asked as { text?: string }[]).map((part) => part.text ?? '').join('') : asked
  try {
    return JSON.parse(String(text)) as Told
  } catch {
    return {}
  }
}

function send(response: ServerResponse, events: string[]): void {
  response.end(events.map((event) => `data: ${event}\n\n`).join(''))
}

function callsOf(calls: [string, unknown][]): string[] {
  const pieces = calls.map(([name, input], index) => ({
    index,
    id: `call_${index}`,
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))
  return [...pieces.map((piece) => delta({ tool_calls: [piece] })), finish('tool_calls'), '[DONE]']
}

const PIECE = 'x'.repeat(1_000)
const FLOODS: Record<string, (n: number) => object> = {
  text: () => ({ content: PIECE }),
  thinking: () => ({ reasoning_content: PIECE }),
  arguments: (n) => ({
    tool_calls: [
      { index: 0, ...(n === 0 && { id: 'c' }), function: { ...(n === 0 && { name: 'Write' }), arguments: PIECE } },
    ],
  }),
  calls: (n) => ({ tool_calls: [{ index: n, id: `c${n}`, function: { name: 'Glob', arguments: '{"pattern":"*"}' } }] }),
}

async function flood(response: ServerResponse, piece: (n: number) => object): Promise<void> {
  let sent = 0
  for (let n = 0; sent < FLOOD_BYTES && !response.destroyed; n++) {
    const event = `data: ${delta(piece(n))}\n\n`
    sent += event.length
    if (!response.write(event)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  response.end(`data: ${finish('stop')}\n\ndata: [DONE]\n\n`)
}

function delta(value: object): string {
  return JSON.stringify({ choices: [{ index: 0, delta: value, finish_reason: null }] })
}

function finish(reason: string): string {
  return JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
}
