import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A provider on a real port that never has enough. What it says depends on the question, and is made as it is read. */
export type Floods = Record<string, () => Iterable<object>>

export type Flood = AsyncDisposable & { url: string; sentBytes: (question: string) => number }

/** Chunks of one delta each, and nothing that ends them. */
export async function startFlood(floods: Floods): Promise<Flood> {
  const sent = new Map<string, number>()
  const server = createServer((request, response) => {
    // It has no list of models.
    if (request.method !== 'POST') return void response.writeHead(404).end()
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => void answer(body, response))
  })

  async function answer(body: string, response: ServerResponse): Promise<void> {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] }
    const question = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const deltas = (floods[question] ?? (() => [{ content: 'Fine.' }]))()
    // The reader may leave in the middle: that is what is asked of it.
    await pipeline(Readable.from(frames(deltas, (bytes) => count(question, bytes))), response).catch(() => undefined)
  }

  const count = (question: string, bytes: number) => void sent.set(question, (sent.get(question) ?? 0) + bytes)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sentBytes: (question) => sent.get(question) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function* frames(deltas: Iterable<object>, count: (bytes: number) => void): Generator<string> {
  const frame = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  for (const delta of deltas) {
    const text = frame(delta)
    count(text.length)
    yield text
  }
  yield frame({}, 'stop')
  yield 'data: [DONE]\n\n'
}
