import type { TurnProjection } from '@parley/protocol'
import type { Memory } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import type { Received } from '../face/client.ts'
import { sharedWorld, STORES, World } from '../wire/world.ts'
import { startEmbeddings } from '../knowledge/embeddings-endpoint.ts'

const ALL = '/api/memories'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const keep = async (content: string, token?: string): Promise<Memory> =>
    (await world().rest<Memory>('POST', ALL, { body: { content }, ...(token !== undefined && { token }) })).body
  const read = async (id: number) => (await world().rest<Memory>('GET', `${ALL}/${id}`)).body
  /** What the model was told with its last message. */
  const given = (question: string) => {
    const requests = world().provider.requests.filter(({ messages }) =>
      messages.some(({ role, text }) => role === 'user' && text.startsWith(question)),
    )
    return requests.at(-1)!.messages.findLast(({ role }) => role === 'user')!.text
  }
  const known = new Set<string>()
  const talk = async (question: string, options: { session_id?: string; token?: string } = {}) => {
    if (!known.has(question)) world().learn({ [question]: [{ text: 'So it is.' }] })
    known.add(question)
    await using chat = await world().chat(options)
    const { events, end } = await chat.run(question)
    expect(end.status).toBe('completed')
    return { chat, events, told: given(question) }
  }
  const injected = (events: readonly Received[]) =>
    events.filter(({ name }) => name === 'memory:inject:done').map(({ payload }) => payload)
  const starts = (events: readonly Received[]) =>
    events
      .filter(({ name }) => name === 'turn:start')
      .map(({ payload }) => payload as unknown as TurnProjection)
      .map(({ role, memory_refs }) => [role, memory_refs])

  test.each([
    ['My dentist is Dr Okafor on Mill Street.', 'Who is my dentist?', 'How tall is Mount Everest?'],
    ['我家的猫叫豆包，是一只橘猫。', '我的猫叫什么名字？', '珠穆朗玛峰有多高？'],
  ])(
    '[W10.16] [W7.6] “%s” comes back for “%s” in another session, is counted, shown on the answer and told; “%s” brings nothing back',
    async (content, question, unrelated) => {
      const memory = await keep(content)
      const { chat, events, told } = await talk(question)
      const refs = [{ id: memory.id, content_preview: content, skill_name: null }]
      expect(told).toContain(`[${memory.id}] ${content}`)
      expect(starts(events)).toEqual([
        ['user', null],
        ['assistant', refs],
      ])
      const answer = (await chat.messages()).at(-1)!
      expect(answer.memory_refs).toEqual(refs)
      expect(injected(events)).toMatchObject([{ turn_id: answer.turn_id, memory_refs: refs }])
      expect(events.findIndex(({ name }) => name === 'memory:inject:done')).toBeGreaterThan(
        events.findIndex(({ name, payload }) => name === 'turn:start' && payload['role'] === 'assistant'),
      )
      const counted = await read(memory.id)
      expect(counted).toMatchObject({ hit_count: 1, last_hit_at: expect.any(String), updated_at: null })
      // What the user said stays what the user said.
      expect((await chat.messages())[0]!.blocks).toMatchObject([{ type: 'text', content: question }])
      const other = await talk(unrelated)
      expect(other.told).toBe(unrelated)
      expect(starts(other.events).map(([, refs]) => refs)).toEqual([null, null])
      expect(injected(other.events)).toEqual([])
      expect(await read(memory.id)).toEqual(counted)
    },
  )

  test('[W10.16] what is switched off, replaced, deleted, somebody else’s or not wanted in a session is never used', async () => {
    const question = 'Where is the lighthouse keeper?'
    const memory = await keep('The lighthouse keeper is at home')
    expect((await talk(question)).told).toContain('at home')
    await world().rest('PATCH', `${ALL}/${memory.id}`, { body: { disabled: true } })
    expect((await talk(question)).told).toBe(question)
    await world().rest('PATCH', `${ALL}/${memory.id}`, { body: { disabled: false } })
    const session_id = await world().newSession({ memory_enabled: false })
    expect((await talk(question, { session_id })).told).toBe(question)
    await world().rest('PATCH', `/api/sessions/${session_id}/memory`, { body: { memory_enabled: true } })
    expect((await talk(question, { session_id })).told).toContain('at home')
    const anna = (await mint(world(), 'anna')).token
    const hers = await world().newSession({}, anna)
    expect((await talk(question, { session_id: hers, token: anna })).told).toBe(question)
    await keep('The lighthouse keeper is at sea', anna)
    expect((await talk(question)).told).not.toContain('at sea')
    await world().rest('PUT', `${ALL}/${memory.id}`, { body: { content: 'The lighthouse keeper is asleep' } })
    expect((await talk(question)).told).toMatch(/asleep(?!.*at home)/s)
    await world().rest('DELETE', `${ALL}/${memory.id}`)
    expect((await talk(question)).told).toBe(question)
    await keep('My favourite harbour is Kiel')
    await keep('My favourite harbour is Rostock')
    expect((await talk('Which is my favourite harbour?')).told).toMatch(/^(?!.*Kiel).*Rostock/s)
  })

  test('[D4] what was recalled stays with its message, byte for byte, until it is forgotten, switched off or replaced', async () => {
    const memory = await keep('The spare bicycle key hangs behind the stove')
    const session_id = await world().newSession()
    const first = await talk('Where is the spare bicycle key?', { session_id })
    const again = async (question: string) => {
      await talk(question, { session_id })
      return world()
        .provider.requests.at(-1)!
        .messages.find(({ role }) => role === 'user')!.text
    }
    expect(first.told).toContain('behind the stove')
    expect(await again('What is seven times eight?')).toBe(first.told)
    const patch = (disabled: boolean) => world().rest('PATCH', `${ALL}/${memory.id}`, { body: { disabled } })
    await patch(true)
    expect(await again('What is seven times nine?')).not.toContain('behind the stove')
    await patch(false)
    expect(await again('What is seven times seven?')).toBe(first.told)
    await world().rest('DELETE', `${ALL}/${memory.id}`)
    expect(await again('What is seven times six?')).not.toContain('behind the stove')
  })

  test('an agent finds memories on purpose, by words or the newest, and only those that may be used', async () => {
    const kept = await keep('The ferry to Skagen leaves at noon')
    const off = await keep('The ferry to Oslo leaves at noon')
    await world().rest('PATCH', `${ALL}/${off.id}`, { body: { disabled: true } })
    const find = (query?: string) => ({ name: 'FindMemories', arguments: query === undefined ? {} : { query } })
    world().learn({ 'look for it': [{ calls: [find('ferry'), find(), find('submarine')] }, { text: 'x' }] })
    await using chat = await world().chat()
    await chat.run('look for it')
    const calls = (await chat.messages())[1]!.tool_calls
    const ids = calls.map(({ result }) => (result as { memories: { id: number }[] }).memories.map(({ id }) => id))
    expect(ids[0]).toEqual([kept.id])
    expect(ids[1]).toContain(kept.id)
    expect(ids[1]).not.toContain(off.id)
    expect(ids[2]).toEqual([])
  })

  test('after a restart everything is as it was', async () => {
    const memory = await keep('The harp needs new strings in March')
    await world().stop()
    await world().start()
    expect((await talk('When does the harp need new strings?')).told).toContain(`[${memory.id}]`)
  })
})

test('on PostgreSQL, what one instance was told another knows at once', async () => {
  await using one = await World.open('postgres')
  await using two = await World.open('sqlite', { databaseUrl: one.databaseUrl! })
  const { body } = await one.rest<Memory>('POST', ALL, { body: { content: 'The tide gauge is painted orange' } })
  two.learn({ 'What is the tide gauge painted?': [{ text: 'Orange.' }] })
  await using chat = await two.chat()
  const { events } = await chat.run('What is the tide gauge painted?')
  expect(events.filter(({ name }) => name === 'memory:inject:done')).toMatchObject([
    { payload: { memory_refs: [{ id: body.id }] } },
  ])
  expect((await one.rest('GET', `${ALL}/${body.id}`)).body).toMatchObject({ hit_count: 1 })
})

test.each(STORES)(
  'with embeddings a message also finds what it means in other words, and by its words alone while they fail (%s)',
  async (store) => {
    await using endpoint = await startEmbeddings()
    await using world = await World.open(store, { embeddingsUrl: endpoint.url, embeddingsModel: 'words-1' })
    const keep = async (content: string) => (await world.rest<Memory>('POST', ALL, { body: { content } })).body
    for (const n of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'])
      await keep(`Shelf ${n} holds folder ${n}`)
    const { id } = await keep('My vehicle stands behind the mill')
    const refsOf = async (question: string) => {
      await using chat = await world.chat()
      await chat.run(question)
      return (await chat.messages()).at(-1)!.memory_refs?.map((ref) => ref.id) ?? []
    }
    world.learn(
      Object.fromEntries(
        ['我的汽车在哪里？', '面包多少钱？', 'Where does my vehicle stand?'].map((said) => [
          said,
          () => ({ text: 'x' }),
        ]),
      ),
    )
    // Vectors come after the memory; until then it is found by its words.
    await expect.poll(() => refsOf('我的汽车在哪里？'), { timeout: 30_000, interval: 200 }).toEqual([id])
    expect(await refsOf('面包多少钱？')).toEqual([])
    endpoint.state.isBroken = true
    expect(await refsOf('我的汽车在哪里？')).toEqual([])
    expect(await refsOf('Where does my vehicle stand?')).toEqual([id])
  },
)
