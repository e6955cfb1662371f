import type { DocumentEntry, DocumentsPage, KnowledgeDocument, KnowledgeResult } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from '../wire/world.ts'
import { addDocument, HANDBOOK, REFUNDS, sendFile } from './documents-of.ts'

const AT = '/api/agent/knowledge'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const search = async (query: string, more: object = {}) =>
    (await world().rest<{ results: KnowledgeResult[] }>('POST', `${AT}/search`, { body: { query, ...more } })).body
      .results

  test('[S15.5] [S18.14] a document of 100 KB is read, changed and deleted by its id, as one', async () => {
    const long = `${'Filler about nothing in particular, to make it long. '.repeat(1_950)}\n\n# End\n\nThe ferry to Ostrava leaves at noon.`
    const id = await addDocument(world(), long, { category: 'ships', title: 'Ferries' })
    const read = await world().rest<KnowledgeDocument>('GET', `${AT}/${id}`)
    expect(read.body).toMatchObject({ id, category: 'ships', title: 'Ferries', content: long, collection: 'default' })
    expect(read.body.passages).toBeGreaterThan(100)
    expect(await search('When does the ferry to Ostrava leave?')).toMatchObject([
      {
        document: { id },
        excerpt: expect.stringContaining('leaves at noon'),
        passage: expect.stringContaining('leaves at noon'),
      },
    ])
    const changed = await world().rest<KnowledgeDocument>('PATCH', `${AT}/${id}`, {
      body: { content: 'The ferry to Gdansk leaves at dusk.' },
    })
    expect(changed).toMatchObject({ status: 200, body: { id, title: 'Ferries', passages: 1 } })
    expect(await search('Ostrava at noon')).toEqual([])
    expect(await search('ferry to Gdansk')).toMatchObject([{ document: { id } }])
    expect((await world().rest('DELETE', `${AT}/${id}`)).status).toBe(204)
    expect(await search('ferry to Gdansk')).toEqual([])
    for (const method of ['GET', 'DELETE'])
      expect(await world().rest(method, `${AT}/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    expect(await world().rest('PATCH', `${AT}/${id}`, { body: { title: 'x' } })).toMatchObject({ status: 404 })
  })

  test('[S15.5] lists page by page, by category; categories are counted and sorted', async () => {
    for (const name of ['zeta', 'alpha', 'zeta']) await addDocument(world(), `About ${name}.`, { category: name })
    const first = await world().rest<DocumentsPage>('GET', `${AT}?category=zeta&limit=1`)
    expect(first.body.items).toMatchObject([{ category: 'zeta' }])
    expect(first.body.items[0]).not.toHaveProperty('content')
    const rest = await world().rest<DocumentsPage>(
      'GET',
      `${AT}?category=zeta&limit=5&cursor=${first.body.nextCursor!}`,
    )
    expect(rest.body.items.map(({ id }) => id)).not.toContain(first.body.items[0]!.id)
    expect(rest.body).not.toHaveProperty('nextCursor')
    const { categories } = (
      await world().rest<{ categories: { name: string; documentCount: number }[] }>('GET', `${AT}/categories`)
    ).body
    expect(categories.filter(({ name }) => /zeta|alpha/.test(name))).toEqual([
      { name: 'alpha', documentCount: 1 },
      { name: 'zeta', documentCount: 2 },
    ])
  })

  test('[S15.2] [S15.3] a search gives documents once, best first, between its floor and its count, of one category', async () => {
    const zh = await addDocument(world(), HANDBOOK, { category: 'hr' })
    const en = await addDocument(world(), REFUNDS, { category: 'billing' })
    const found = await search('病假诊断证明要交吗')
    expect(found).toMatchObject([{ document: { id: zh }, confidence: expect.stringMatching(/high|medium/) }])
    expect(found[0]!.score).toBeGreaterThan(0.3)
    expect(found[0]!.score).toBeLessThanOrEqual(1)
    expect(await search('refunds for plans', { topK: 1 })).toMatchObject([{ document: { id: en } }])
    expect(await search('refunds for plans', { category: 'hr' })).toEqual([])
    expect(await search('refunds for plans', { minScore: 0.99 })).toEqual([])
  })

  test('a file is added, unchanged, changed; under the path that its importer gives it', async () => {
    const query = { source: 'guide/leave.md', category: 'guides', collection: 'manuals' }
    const added = await sendFile(world(), query, [HANDBOOK, 'text/markdown'])
    expect(added).toMatchObject({
      status: 200,
      body: { status: 'added', document: { source: 'guide/leave.md', title: '员工手册' } },
    })
    const { id } = added.body['document'] as DocumentEntry
    expect(await sendFile(world(), query, [HANDBOOK, 'text/markdown'])).toMatchObject({
      body: { status: 'unchanged', document: { id } },
    })
    const changed = await sendFile(world(), query, [HANDBOOK.replace('五天', '六天'), 'text/markdown'])
    expect(changed).toMatchObject({ body: { status: 'changed', document: { id } } })
    expect(await search('年假六天', { collection: 'manuals' })).toMatchObject([{ document: { id } }])
    const html = '<html><title>Parking</title><body><h1>Deck</h1><p>Bicycles park on deck nine.</p></body></html>'
    expect(await sendFile(world(), { source: 'p.html' }, [html, 'text/html'])).toMatchObject({
      body: { status: 'added' },
    })
    expect(await search('where do bicycles park')).toMatchObject([{ excerpt: expect.stringContaining('deck nine') }])
    expect(await sendFile(world(), { source: 'x.exe' }, ['MZ', 'application/octet-stream'])).toMatchObject({
      status: 422,
      body: { code: 'invalid_payload', detail: expect.stringContaining('x.exe') },
    })
  })

  test('[S15.5] bad input, oversized input and foreign documents are refused, and nothing is stored', async () => {
    const id = await addDocument(world(), 'A document of the owner.', { category: 'mine' })
    const before = (await world().rest<DocumentsPage>('GET', `${AT}?limit=200`)).body.items.length
    const bad = [
      { content: 'no category' },
      { category: 'c' },
      { category: 'c', content: '' },
      { category: 'c', content: ' \n ' },
      { category: 'x'.repeat(101), content: 'c' },
      { category: 'c', content: 'c', title: 'x'.repeat(501) },
      { category: 'c', content: 'x'.repeat(1024 * 1024 + 1) },
      { category: 'c', content: 'NUL \0 inside' },
      { category: 'c', content: 'c', collection: '../up' },
    ]
    for (const body of bad)
      expect([(await world().rest('POST', AT, { body })).status, JSON.stringify(body).slice(0, 60)]).toEqual([
        400,
        expect.anything(),
      ])
    for (const body of [
      { query: '' },
      { query: 'q', topK: 51 },
      { query: 'q', topK: 0 },
      { query: 'q', method: 'magic' },
    ])
      expect((await world().rest('POST', `${AT}/search`, { body })).status).toBe(400)
    expect((await world().rest<DocumentsPage>('GET', `${AT}?limit=200`)).body.items).toHaveLength(before)
    for (const token of [world().strangersKey, null])
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { title: 't' }],
        ['DELETE', undefined],
      ] as const)
        expect((await world().rest(method, `${AT}/${id}`, { body, token })).status).toBe(token ? 404 : 401)
    const { token } = await mint(world(), 'carol')
    expect(
      (await world().rest('POST', `${AT}/search`, { body: { query: 'document of the owner' }, token })).status,
    ).toBe(403)
    expect((await world().rest('GET', `${AT}/${id}`)).status).toBe(200)
  })

  test('a document of nothing but headings is refused for its passages, and leaves none', async () => {
    const content = '# zyzzyva\n'.repeat(10_100)
    expect((await world().rest('POST', AT, { body: { category: 'c', content } })).status).toBe(413)
    expect(await search('zyzzyva')).toEqual([])
  })
})
