/**
 * A model provider that speaks OpenAI's streaming format and nothing else. The model's name says what to send:
 * `tokens=100,ms=20` is 100 tokens, one every 20 ms. Every token is the time at which it was sent.
 */
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  // It has no list of models.
  if (request.method !== 'POST') return void response.writeHead(404).end()
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    const { model = '' } = JSON.parse(body || '{}') as { model?: string }
    const tokens = Number(/tokens=(\d+)/.exec(model)?.[1] ?? 100)
    const ms = Number(/ms=(\d+)/.exec(model)?.[1] ?? 0)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    const send = () => {
      sent += 1
      response.write(frame({ content: `${now().toFixed(2)} ` }, null))
      if (sent === tokens) {
        clearInterval(timer)
        response.end(
          `${frame({}, 'stop')}data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: tokens } })}\n\ndata: [DONE]\n\n`,
        )
      }
    }
    const timer = setInterval(send, ms)
    if (ms > 0) return
    clearInterval(timer)
    while (sent < tokens) send()
  })
})

const now = () => performance.timeOrigin + performance.now()
const frame = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'stub', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
