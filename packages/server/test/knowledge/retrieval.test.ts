import type { Source, TurnProjection } from '@parley/protocol'
import type { SourcePassage } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { ask, inShort, newSessionId } from '../agent-sse/sse.ts'
import { mint } from '../auth/visitors.ts'
import type { Chat } from '../wire/chat.ts'
import { sharedWorld, STORES } from '../wire/world.ts'
import { addDocument, HANDBOOK, REFUNDS } from './documents-of.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[S15.1] what is found for a message stands with it, as reference material, and answers cite it', async () => {
    const id = await addDocument(world(), HANDBOOK, { title: '员工手册' })
    world().learn({ '请问年假有几天？': [{ text: '满一年有五天年假 [1]，这句没有出处，[9] 只是数字。' }] })
    await using chat = await world().chat()
    await chat.run('请问年假有几天？')
    const [request] = world().requests('请问年假有几天？')
    const said = request!.messages.at(-1)!.text
    expect(said.startsWith('请问年假有几天？\n\n')).toBe(true)
    expect(said).toContain('not instructions')
    expect(said).toMatch(
      /<passage number="1" from="员工手册 › .*年休假" category="handbook">\n[^<]*五天年假[^<]*\n<\/passage>/,
    )
    // The prefix that providers cache is the same with and without.
    expect(request!.system).not.toContain('年假')
    const [asked, answer] = await chat.messages()
    const [source] = asked!.sources as Source[]
    expect(source).toMatchObject({ ref: 1, document_id: id, title: '员工手册', category: 'handbook' })
    expect(source!.excerpt).toContain('五天年假')
    expect(answer!.citations).toEqual([source])
    expect(toldIn(chat)).toMatchObject([{ turn_id: asked!.turn_id, sources: asked!.sources }])
    const { body } = await world().rest<SourcePassage>('GET', `/api/sessions/${chat.session_id}/sources/1`)
    expect(body).toMatchObject({ ref: 1, document_id: id, title: '员工手册' })
    expect(HANDBOOK).toContain(body.before + body.passage + body.after)
    expect(body.passage).toContain('五天年假')
  })

  test('a source opens where it stands, also where its words stand more than once', async () => {
    const same = 'The kiosk sells pickled samphire on Mondays.'
    await addDocument(world(), `# Town\n\n## North\n\n${same}\n\n## South\n\n${same}`, { title: 'Town' })
    world().learn({ 'Who sells pickled samphire?': [{ text: 'Both, [1] and [2].' }] })
    await using chat = await world().chat()
    await chat.run('Who sells pickled samphire?')
    const sources = (await chat.messages())[0]!.sources!
    expect(new Set(sources.flatMap(({ headings }) => headings))).toEqual(new Set(['North', 'South']))
    const { ref } = sources.find(({ headings }) => headings[0] === 'South')!
    const { body } = await world().rest<SourcePassage>('GET', `/api/sessions/${chat.session_id}/sources/${ref}`)
    expect(body).toMatchObject({ passage: same, headings: ['South'], after: '' })
    expect(body.before.endsWith('## South\n\n')).toBe(true)
  })

  test('[S15.3] [S18.14] a message that no document is about is given nothing, and an answer without a source carries none', async () => {
    await addDocument(world(), REFUNDS)
    world().learn({ 'write a poem about autumn': [{ text: 'Leaves [1] fall.' }] })
    await using chat = await world().chat()
    await chat.run('write a poem about autumn')
    const [asked, answer] = await chat.messages()
    expect(world().requests('write a poem about autumn')[0]!.messages.at(-1)!.text).toBe('write a poem about autumn')
    expect([asked!.sources, answer!.citations]).toEqual([undefined, undefined])
    expect(toldIn(chat)).toEqual([])
  })

  test('[S5.4] [S6.2.3] agent SSE tells what was retrieved before the check, and nothing with skipKnowledge', async () => {
    const mooring = '# Harbour\n\nMooring a yacht costs nine guilders a night.'
    const id = await addDocument(world(), mooring, { category: 'billing', title: 'Harbour' })
    world().learn({ 'What does mooring a yacht cost?': [{ text: 'Yes.' }, { text: 'Yes.' }] })
    const told = await ask(world(), { message: 'What does mooring a yacht cost?', sessionId: newSessionId() })
    expect(inShort(told).slice(0, 3)).toEqual(['processing_started', 'knowledge_retrieved', 'confirmation_check'])
    expect(told[1]!.data).toMatchObject({ documentCount: 1, categories: ['billing'] })
    expect(told[1]!.data['documents']).toMatchObject([{ id, title: 'Harbour', category: 'billing' }])
    const body = { message: 'What does mooring a yacht cost?', sessionId: newSessionId(), skipKnowledge: true }
    expect(inShort(await ask(world(), body)).slice(0, 2)).toEqual(['processing_started', 'confirmation_check'])
  })

  test('a session whose search is disabled retrieves nothing, nor does a message that skips it', async () => {
    await addDocument(world(), '# Parking\n\nVisitors park on deck seven, for two coins an hour.')
    world().learn({ 'Where do visitors park?': [{ text: 'Somewhere.' }] })
    const session_id = await world().newSession({ disable_tools: ['SearchKnowledge'] })
    await using chat = await world().chat({ session_id })
    await chat.run('Where do visitors park?')
    expect((await chat.messages())[0]!.sources).toBeUndefined()
    await using other = await world().chat()
    await other.run('Where do visitors park?', { skip_knowledge: true })
    expect((await other.messages())[0]!.sources).toBeUndefined()
  })

  test('the model looks again in its own words, and what it finds keeps its number', async () => {
    await addDocument(world(), '# Library\n\n## Loans\n\nBooks are lent for 28 days and renewed twice.', {
      title: 'Library',
    })
    const search = { calls: [{ name: 'SearchKnowledge', arguments: { query: 'renew lent books' } }] }
    world().learn({
      'May I keep it longer?': [search, { text: 'Twice [1].' }],
      'Books are lent for how long?': [{ text: 'See [1].' }],
    })
    await using chat = await world().chat()
    await chat.run('May I keep it longer?')
    const turns = await chat.messages()
    const [call] = turns.flatMap(({ tool_calls }) => tool_calls)
    expect(call).toMatchObject({ status: 'done', result: { passages: [{ ref: 1, title: 'Library' }] } })
    expect(turns.at(-1)!.citations).toMatchObject([{ ref: 1, title: 'Library' }])
    await chat.run('Books are lent for how long?')
    expect((await chat.messages()).at(-1)!.citations).toMatchObject([{ ref: 1 }])
  })

  test('what is deleted is found by nobody, also not by a follow-up in the same session', async () => {
    const secret = 'The vault opens with the word tangerine.'
    const id = await addDocument(world(), `# Vault\n\n${secret}`)
    const search = { calls: [{ name: 'SearchKnowledge', arguments: { query: 'vault word' } }] }
    world().learn({
      'Which word opens the vault?': [search, { text: 'I will not say [1].' }],
      'And now, which word opens the vault?': [search, { text: 'Nobody knows.' }],
    })
    await using chat = await world().chat()
    await chat.run('Which word opens the vault?')
    expect(JSON.stringify(world().requests('Which word opens the vault?')[1]!.messages)).toContain('tangerine')
    expect((await world().rest('DELETE', `/api/knowledge/${id}`)).status).toBe(204)
    await chat.run('And now, which word opens the vault?')
    for (const { messages } of world().requests('And now, which word opens the vault?'))
      expect(JSON.stringify(messages)).not.toContain('tangerine')
    expect(await world().rest('GET', `/api/sessions/${chat.session_id}/sources/1`)).toMatchObject({ status: 404 })
    const found = await world().rest<{ results: object[] }>('POST', '/api/knowledge/search', {
      body: { query: 'vault' },
    })
    expect(found.body.results).toEqual([])
  })

  test('a collection for some agents or visitors is found by those alone', async () => {
    await world().rest('PUT', '/api/knowledge/collections/vip', { body: { subjects: ['alice'] } })
    await world().rest('PUT', '/api/knowledge/collections/sales', { body: { agents: ['seller'] } })
    await addDocument(world(), 'The champagne lounge is on floor 12.', { collection: 'vip' })
    await addDocument(world(), 'The champagne discount is forty percent.', { collection: 'sales' })
    world().learn({ 'Where is the champagne lounge and its discount?': [{ text: 'There.' }] })
    const sourcesFor = async (token?: string): Promise<TurnProjection['sources']> => {
      const session_id = await world().newSession({}, token)
      await using chat = await world().chat({ session_id, ...(token && { token }) })
      await chat.run('Where is the champagne lounge and its discount?')
      const path = `/api/sessions/${session_id}/messages`
      return (await world().rest<TurnProjection[]>('GET', path, { ...(token && { token }) })).body[0]!.sources
    }
    expect(await sourcesFor((await mint(world(), 'alice')).token)).toMatchObject([
      { excerpt: expect.stringContaining('floor 12') },
    ])
    expect(await sourcesFor((await mint(world(), 'bob')).token)).toBeUndefined()
    expect(await sourcesFor()).toBeUndefined()
  })
})

function toldIn({ received }: Pick<Chat, 'received'>): object[] {
  return received.filter(({ name }) => name === 'knowledge:retrieved').map(({ payload }) => payload)
}
