import type { KnowledgeResult } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { World } from '../wire/world.ts'
import { addDocument } from './documents-of.ts'
import { startEmbeddings } from './embeddings-endpoint.ts'

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
