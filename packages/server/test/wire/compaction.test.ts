import type { TurnProjection } from '@parley/protocol'
import type { CompactedSession, ContextStats, MessagesTokens, PromptTokens } from '@parley/protocol/rest'
import { compactedSessionSchema, contextStatsSchema } from '@parley/protocol/schemas'
import type { FakeRequest } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { askCall, sharedWorld, STORES } from './world.ts'

const LONG = 'word '.repeat(80)
const isSummary = ({ question }: FakeRequest) => question.includes('<record>')

describe.each(STORES)('[W12.2] on %s', (store) => {
  const world = sharedWorld(store)
  /** What is asked for a summary holds the record, so that it is told apart by that. */
  const learn = (name: string) => {
    const questions = ['one', 'two', 'three', 'four'].map((nth) => `${name} ${nth}. ${LONG}`)
    world().learn(Object.fromEntries(questions.map((question) => [question, [{ text: `Heard. ${LONG}` }]])))
    return questions
  }
  const talked = async (name: string, count = 3) => {
    const questions = learn(name)
    const chat = await world().chat()
    for (const question of questions.slice(0, count)) await chat.run(question)
    return { chat, questions }
  }
  const of = (session_id: string) => `/api/sessions/${session_id}`

  test('POST …/compact answers with the compaction; the model then gets the summary; stats tell both', async () => {
    const { chat, questions } = await talked('post')
    await using _chat = chat
    const path = of(chat.session_id)
    const before = (await world().rest<ContextStats>('GET', `${path}/context-stats`)).body
    expect(contextStatsSchema.parse(before)).toEqual(before)
    world().provider.add({ text: 'They spoke of words.' })
    const { status, body } = await world().rest<CompactedSession>('POST', `${path}/compact`)
    expect([status, compactedSessionSchema.parse(body).status]).toEqual([200, 'ok'])
    const { compaction } = body
    expect(compaction).toMatchObject({ kind: 'compaction', trigger: 'manual', archived_count: 4, status: 'completed' })
    expect((await chat.messages()).filter(({ archived }) => archived)).toHaveLength(4)
    const told = chat.received.filter(({ payload }) => payload['kind'] === 'compaction')
    expect(told.map(({ name }) => name)).toEqual(['turn:start', 'turn:end'])
    expect(told[0]!.payload).toMatchObject({ status: 'streaming', trigger: 'manual', role: 'system' })
    const after = (await world().rest<ContextStats>('GET', `${path}/context-stats`)).body
    expect(after).toMatchObject({ model: 'fake-model', compaction_count: 1, context_window: 0, usage_ratio: 0 })
    expect(after.used_tokens).toBeLessThan(before.used_tokens)
    expect(after.used_tokens).toBe(after.system_prompt_tokens + after.tools_tokens + after.messages_tokens)
    await chat.run(questions[3]!)
    const [request] = world().requests(questions[3]!)
    expect(JSON.stringify(request!.body)).toContain('They spoke of words.')
    expect(JSON.stringify(request!.body)).not.toContain('post one')
    const [asked] = world().provider.requests.filter(isSummary)
    expect(JSON.stringify(asked!.body)).toContain('post one')
    const { body: history } = await world().rest<{ nodes: { message: { content: string } }[] }>(
      'GET',
      `${path}/history`,
    )
    expect(history.nodes[0]!.message.content).toContain('They spoke of words.')
  })

  test('[W5.5] chat:compact acknowledges after turn:end; a message meanwhile is queued, a second is busy', async () => {
    const { chat, questions } = await talked('socket')
    await using _chat = chat
    const { session_id, client } = chat
    world().provider.add({ text: 'Words again.', delayMs: 1_000 })
    const compact = client.ask('chat:compact', { session_id })
    await chat.until(({ payload }) => payload['kind'] === 'compaction')
    expect((await chat.session()).status).toBe('completed')
    const sent = await chat.send(questions[3]!)
    expect(sent).toMatchObject({ status: 'ok', queued: true, run_id: expect.any(String) })
    expect(await chat.send('too many')).toMatchObject({ status: 'error', code: 'session_busy' })
    expect(await compact).toMatchObject({ status: 'ok', code: null })
    expect((await chat.ended(sent)).end.status).toBe('completed')
    const order = chat.received.map(({ name, payload }) =>
      payload['kind'] === 'compaction' ? `${name} compaction` : name,
    )
    expect(order.indexOf('turn:end compaction')).toBeLessThan(order.lastIndexOf('chat:start'))
  })

  test('a summary that fails is 502 and a failed turn, and nothing is archived', async () => {
    const { chat } = await talked('fails')
    await using _chat = chat
    world().provider.add({ error: { status: 400 } })
    const { status, body } = await world().rest('POST', `${of(chat.session_id)}/compact`)
    expect([status, body['code']]).toEqual([502, 'compaction_failed'])
    const turns: TurnProjection[] = await chat.messages()
    expect(turns.at(-1)).toMatchObject({ kind: 'compaction', status: 'failed' })
    expect(turns.filter(({ archived }) => archived)).toEqual([])
  })

  test('[W5.5] while a run is active, or waits for an answer, it is 409, and chat:compact says so too', async () => {
    const { chat } = await talked('busy')
    await using _chat = chat
    const { session_id, client } = chat
    const refused = async () => {
      const { status, body } = await world().rest('POST', `${of(session_id)}/compact`)
      expect([status, body['code']]).toEqual([409, 'session_busy'])
      expect(await client.ask('chat:compact', { session_id })).toMatchObject({ status: 'error', code: 'session_busy' })
    }
    world().learn({
      'busy: work': [{ calls: [{ name: 'Work', arguments: { name: 'busy' } }] }, { text: 'Worked.' }],
      'busy: ask': [{ calls: [askCall()] }, { text: 'Asked.' }],
    })
    const working = await chat.send('busy: work')
    await world().gates.reached('busy')
    await refused()
    world().gates.open('busy')
    await chat.ended(working)
    await chat.run('busy: ask')
    await refused()
    await chat.answer()
    expect((await chat.messages()).filter(({ kind }) => kind === 'compaction')).toEqual([])
  })

  test('what the provider has counted counts, and only what came after is estimated', async () => {
    world().learn({ 'count me': [{ text: 'Counted.', usage: { input: 777, output: 23 } }] })
    await using chat = await world().chat()
    const stats = async () => (await world().rest<ContextStats>('GET', `${of(chat.session_id)}/context-stats`)).body
    expect(await stats()).toMatchObject({ messages_tokens: 0, estimated: true })
    await chat.run('count me')
    expect(await stats()).toMatchObject({ used_tokens: 800, estimated: false })
    world().learn({ 'tell me more': [{ text: 'Half', hang: 'after' }] })
    await chat.send('tell me more')
    await chat.told('text: Half')
    await chat.stop()
    await chat.until(({ name, payload }) => name === 'chat:end' && payload['status'] === 'interrupted')
    const after = await stats()
    expect(after.estimated).toBe(true)
    expect(after.used_tokens).toBeGreaterThan(800)
    expect(after.used_tokens).toBeLessThan(830)
  })

  test('[D4] the bytes of a call begin with those of the call before it, but for a compaction between them', async () => {
    const { chat, questions } = await talked('bytes')
    await using _chat = chat
    world().learn({
      'bytes: work': [{ calls: [{ name: 'Break', arguments: { why: 'so' } }] }, { text: 'Broken.' }],
      'bytes: last': [{ text: 'The end.' }],
    })
    await chat.run('bytes: work')
    const before = world().provider.requests.filter((request) => JSON.stringify(request.body).includes('bytes one'))
    world().provider.add({ text: 'Of bytes they spoke.' })
    await world().rest('POST', `${of(chat.session_id)}/compact`)
    await chat.run(questions[3]!)
    await world().stop()
    await world().start()
    await using later = await world().chat({ session_id: chat.session_id })
    await later.run('bytes: last')
    const spoken = (request: FakeRequest) => JSON.stringify(request.body).includes('Of bytes they spoke.')
    const after = world().provider.requests.filter(spoken)
    expect([before.length, after.length]).toEqual([5, 2])
    for (const requests of [before, after])
      for (const [at, { bytes }] of requests.slice(1).entries()) {
        const shared = requests[at]!.bytes.subarray(0, -']}'.length)
        expect(bytes.subarray(0, shared.length).equals(shared)).toBe(true)
      }
  })

  test('what has nothing to compact is 422; a foreign session 404; nobody 401', async () => {
    const session_id = await world().newSession()
    expect((await world().rest('POST', `${of(session_id)}/compact`)).body).toMatchObject({
      code: 'compaction_not_needed',
    })
    for (const [method, path] of [
      ['POST', '/compact'],
      ['GET', '/context-stats'],
    ] as const) {
      const full = of(session_id) + path
      expect((await world().rest(method, full, { token: world().strangersKey })).status).toBe(404)
      expect((await world().rest(method, full, { token: null })).status).toBe(401)
    }
  })

  test('tokenize counts with a tokenizer, and says where that is not the model’s own', async () => {
    const path = '/api/sessions/tokenize'
    const prompt = { prompt: 'hello world, 你好世界 <|endoftext|>' }
    const { body } = await world().rest<PromptTokens>('POST', `${path}/prompt`, { body: prompt })
    expect(body).toEqual({ model: 'fake-model', token_count: 13, estimated: true })
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ]
    const asked = { body: { messages, tools: [{ name: 'Read' }], add_generation_prompt: true } }
    const counted = (await world().rest<MessagesTokens>('POST', `${path}/messages`, asked)).body
    expect(counted).toMatchObject({ per_message: [8, 6], tools_tokens: 7, token_count: 24, estimated: true })
    expect((await world().rest('POST', `${path}/prompt`, { body: {} })).status).toBe(422)
    expect((await world().rest('POST', `${path}/messages`, { body: { messages: 'all' } })).status).toBe(422)
    expect((await world().rest('POST', `${path}/prompt`, { body: prompt, token: null })).status).toBe(401)
    const unknown = await world().rest('POST', `${path}/prompt`, { body: { ...prompt, model: 'nobody-1' } })
    expect(unknown.body).toMatchObject({ code: 'model_not_available' })
  })
})
