import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Words of one meaning point the same way, whatever their language. */
const MEANINGS = [/car|auto|vehicle|汽车|车辆/i, /bread|loaves|bakery|面包/i, /rain|storm|umbrella|下雨/i]

/** An endpoint that speaks like OpenAI's; it can be told to fail. */
export async function startEmbeddings() {
  const state = { isBroken: false, requests: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      state.requests++
      if (state.isBroken || request.url !== '/v1/embeddings') return response.writeHead(500).end('no')
      const { input } = JSON.parse(body) as { input: string[] }
      const data = input.map((text, index) => ({
        index,
        embedding: [0.05, ...MEANINGS.map((each) => (each.test(text) ? 1 : 0))],
      }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: data.toReversed() }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { state, url, [Symbol.asyncDispose]: async () => void server.close() }
}
