import type { Suggestions } from '@parley/protocol/rest'
import type { FakeReply, FakeRequest } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { SUGGESTIONS_REQUEST } from '../../src/suggestions/suggestion-request.ts'
import { askCall, sharedWorld, STORES, World } from './world.ts'

/** What was asked before the model was asked for suggestions. */
const askedBefore = ({ messages }: FakeRequest) => messages.filter(({ role }) => role === 'user').at(-2)?.text ?? ''

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const replies = new Map<string, FakeReply>()
  const calls = (question: string) =>
    world()
      .requests(SUGGESTIONS_REQUEST)
      .filter((request) => askedBefore(request) === question)
  const suggestions = (id: string, signal?: AbortSignal) =>
    world().rest<Suggestions>('GET', `/api/sessions/${id}/suggestions`, { ...(signal && { signal }) })
  let isTaught = false
  /** One answer to each question, and what the model says when it is asked what comes next. */
  function learn(question: string, reply: FakeReply): void {
    if (!isTaught) world().learn({ [SUGGESTIONS_REQUEST]: (request) => replies.get(askedBefore(request)) ?? {} })
    isTaught = true
    replies.set(question, reply)
    world().learn({ [question]: [{ text: `About ${question}.` }] })
  }

  test('what might be asked next is made once, from the conversation alone, and read again without a call', async () => {
    learn('the tide', { text: '1. When is it high?\n2. Why twice a day?\n3. Is it safe?\n4. And at night?' })
    await using chat = await world().chat()
    await chat.run('the tide')
    const answer = (await chat.messages()).at(-1)!
    const first = await suggestions(chat.session_id)
    expect(first.body).toEqual({
      turn_id: answer.turn_id,
      suggestions: ['When is it high?', 'Why twice a day?', 'Is it safe?'],
    })
    expect((await suggestions(chat.session_id)).body).toEqual(first.body)
    const [call, ...others] = calls('the tide')
    expect(others).toEqual([])
    expect(call).toMatchObject({ tools: [], body: { max_tokens: expect.any(Number) } })
    expect(call!.messages.map(({ text }) => text)).toEqual(['the tide', 'About the tide.', SUGGESTIONS_REQUEST])
    // Nothing of it is part of the conversation.
    expect(await chat.messages()).toHaveLength(2)
    expect((await chat.session()).status).toBe('completed')
  })

  test('what the user asked is told, however many turns the answer took', async () => {
    learn('the long way', {})
    replies.set('the longer way', { text: 'Shorter?' })
    const list = { name: 'TaskList', arguments: {} }
    world().learn({
      'the longer way': (_request, round) =>
        round < 15 ? { text: `Turn ${round}.`, calls: [list] } : { text: 'There.' },
    })
    await using chat = await world().chat()
    await chat.run('the longer way')
    expect((await suggestions(chat.session_id)).body.suggestions).toEqual(['Shorter?'])
    const { messages } = calls('the longer way')[0]!
    expect(messages.map(({ text }) => text)).toEqual([
      'the longer way',
      ...['Turn 11.', 'Turn 12.', 'Turn 13.', 'Turn 14.', 'There.'],
      SUGGESTIONS_REQUEST,
    ])
  })

  test('many who ask at once get the same, from one call', async () => {
    learn('the moon', { text: 'How far?\nHow old?', delayMs: 400 })
    await using chat = await world().chat()
    await chat.run('the moon')
    const answers = await Promise.all(Array.from({ length: 6 }, () => suggestions(chat.session_id)))
    for (const { body } of answers) expect(body.suggestions).toEqual(['How far?', 'How old?'])
    expect(calls('the moon')).toHaveLength(1)
  })

  test('without a finished answer there is nothing, and the model is not asked', async () => {
    learn('go on', { text: 'And then?' })
    world().learn({
      'go on slowly': [{ text: 'Going', hang: 'after' }],
      'go on with a tool': [{ text: 'One:', calls: [{ name: 'TaskList', arguments: {} }] }, { hang: 'before' }],
      'ask me first': [{ text: 'First:', calls: [askCall()] }],
    })
    const nothing = { turn_id: null, suggestions: [] }
    await using chat = await world().chat()
    expect((await suggestions(chat.session_id)).body).toEqual(nothing)
    await chat.run('go on')
    const ack = await chat.send('go on slowly')
    await chat.told('text: Going')
    expect((await suggestions(chat.session_id)).body).toEqual(nothing)
    await chat.stop()
    await chat.ended(ack)
    expect((await suggestions(chat.session_id)).body).toEqual(nothing)
    // Between two answers of a run, the last one is complete.
    const working = await chat.send('go on with a tool')
    await expect.poll(() => world().requests('go on with a tool').length).toBe(2)
    expect((await chat.messages()).at(-1)).toMatchObject({ role: 'assistant', status: 'completed' })
    expect((await suggestions(chat.session_id)).body).toEqual(nothing)
    await chat.stop()
    await chat.ended(working)
    await chat.run('ask me first')
    expect((await suggestions(chat.session_id)).body).toEqual(nothing)
    expect([...calls('go on'), ...calls('go on slowly'), ...calls('ask me first')]).toEqual([])
  })

  test('a model that fails costs an empty list and one line in the log, not an error, and is not asked again', async () => {
    learn('the weather', { error: { status: 400, body: { error: { message: 'no such thing' } } } })
    await using chat = await world().chat()
    await chat.run('the weather')
    const before = world().warnings.length
    for (let n = 0; n < 3; n++) {
      const { status, body } = await suggestions(chat.session_id)
      expect([status, body.suggestions]).toEqual([200, []])
    }
    expect(calls('the weather')).toHaveLength(1)
    const lines = world()
      .warnings.slice(before)
      .filter((line) => line.includes('suggested'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(chat.session_id)
    expect(world().errors).toEqual([])
  })

  test('an answer without end is cut, and what fits is taken from it', async () => {
    learn('the endless', { text: `Short?\n${'word '.repeat(2_000)}`, chunkChars: 500, hang: 'after' })
    await using chat = await world().chat()
    await chat.run('the endless')
    expect((await suggestions(chat.session_id)).body.suggestions).toEqual(['Short?'])
    expect(await calls('the endless')[0]!.closed).toBe('aborted')
  })

  test('a caller who leaves ends the call, and the next one gets suggestions', async () => {
    learn('the patient', { hang: 'before' })
    await using chat = await world().chat()
    await chat.run('the patient')
    const leaving = new AbortController()
    const left = suggestions(chat.session_id, leaving.signal).catch((error: unknown) => (error as Error).name)
    await expect.poll(() => calls('the patient').length).toBe(1)
    leaving.abort()
    expect(await left).toBe('AbortError')
    expect(await calls('the patient')[0]!.closed).toBe('aborted')
    replies.set('the patient', { text: 'Now?' })
    expect((await suggestions(chat.session_id)).body.suggestions).toEqual(['Now?'])
  })

  test('who waits for another caller’s suggestions makes them when that one leaves', async () => {
    learn('the second', { hang: 'before' })
    await using chat = await world().chat()
    await chat.run('the second')
    const leaving = new AbortController()
    const left = suggestions(chat.session_id, leaving.signal).catch(() => 'left')
    await expect.poll(() => calls('the second').length).toBe(1)
    const waits = suggestions(chat.session_id)
    replies.set('the second', { text: 'My turn?' })
    leaving.abort()
    expect(await left).toBe('left')
    expect((await waits).body.suggestions).toEqual(['My turn?'])
  })

  test('somebody else’s session has none, and a deleted one keeps none', async () => {
    learn('the owner', { text: 'Mine?' })
    await using chat = await world().chat()
    await chat.run('the owner')
    const path = `/api/sessions/${chat.session_id}/suggestions`
    expect((await world().rest('GET', path, { token: world().strangersKey })).status).toBe(404)
    expect((await world().rest('GET', path, { token: null })).status).toBe(401)
    expect(calls('the owner')).toEqual([])
    await suggestions(chat.session_id)
    await world().rest('DELETE', `/api/sessions/${chat.session_id}`)
    expect((await world().rest('GET', path)).status).toBe(404)
  })

  test('a new answer gets its own', async () => {
    learn('the first day', { text: 'And the second?' })
    learn('the second day', { text: 'And the third?' })
    await using chat = await world().chat()
    await chat.run('the first day')
    expect((await suggestions(chat.session_id)).body.suggestions).toEqual(['And the second?'])
    await chat.run('the second day')
    expect((await suggestions(chat.session_id)).body.suggestions).toEqual(['And the third?'])
  })
})

test('switched off there is no such route, and the configuration says so', async () => {
  await using off = await World.open('sqlite', { suggestions: false })
  const id = await off.newSession()
  expect((await off.rest('GET', `/api/sessions/${id}/suggestions`)).status).toBe(404)
  expect((await off.rest('GET', '/api/config')).body).toMatchObject({ suggestionsEnabled: false })
  await using on = await World.open('sqlite')
  expect((await on.rest('GET', '/api/config')).body).toMatchObject({ suggestionsEnabled: true })
})

test('two servers on one database make one call', async () => {
  await using first = await World.open('postgres')
  first.learn({ 'the pair': [{ text: 'A pair.' }], [SUGGESTIONS_REQUEST]: [{ text: 'Both?', delayMs: 500 }] })
  await using chat = await first.chat()
  await chat.run('the pair')
  const { dataDir, databaseUrl } = first
  await using second = await World.open('postgres', {
    dataDir,
    databaseUrl: databaseUrl!,
    modelUrl: first.provider.url,
  })
  const ask = (world: Pick<World, 'rest'>) =>
    world.rest<Suggestions>('GET', `/api/sessions/${chat.session_id}/suggestions`)
  const [one, two] = await Promise.all([ask(first), ask(second)])
  expect([one.body.suggestions, two.body.suggestions]).toEqual([['Both?'], ['Both?']])
  expect(first.requests(SUGGESTIONS_REQUEST)).toHaveLength(1)
})
