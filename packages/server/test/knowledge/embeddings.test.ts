import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KnowledgeResult } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { World } from '../wire/world.ts'
import { addDocument } from './documents-of.ts'

/** Words of one meaning point the same way, whatever their language. */
const MEANINGS = [/car|auto|vehicle|汽车|车辆/i, /bread|loaves|bakery|面包/i, /rain|storm|umbrella|下雨/i]

/** An endpoint that speaks like OpenAI's; it can be told to fail. */
async function startEmbeddings() {
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

test.each(['sqlite', 'postgres'] as const)(
  '[S15.3] with embeddings a question finds what it means, and by words alone while they fail (%s)',
  async (store) => {
    await using endpoint = await startEmbeddings()
    await using world = await World.open(store, { embeddingsUrl: endpoint.url, embeddingsModel: 'words-1' })
    const search = async (query: string, method = 'hybrid') => {
      const body = { query, method }
      return (await world.rest<{ results: KnowledgeResult[] }>('POST', '/api/knowledge/search', { body })).body.results
    }
    const bread = await addDocument(world, 'Fresh loaves every morning from six.')
    await addDocument(world, 'Vehicles are parked behind the house.')
    // They come after the document; until then it is found by its words.
    await expect
      .poll(() => search('面包店什么时候开门'), { timeout: 30_000, interval: 200 })
      .toMatchObject([{ document: { id: bread } }])
    expect(await search('面包店什么时候开门', 'keyword')).toEqual([])
    expect(await search('Who invented the telescope?')).toEqual([])
    endpoint.state.isBroken = true
    expect(await search('fresh loaves in the morning')).toMatchObject([{ document: { id: bread } }])
    const late = await addDocument(world, 'Umbrellas are lent at the desk.')
    expect(await search('umbrellas lent at the desk')).toMatchObject([{ document: { id: late } }])
  },
)
