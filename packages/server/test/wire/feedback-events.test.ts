import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyProjection, type TurnProjection, withRestTurns } from '@parley/protocol'
import type { Feedback, FeedbackPage, GivenFeedback } from '@parley/protocol/rest'
import { eventSchemas } from '@parley/protocol/schemas'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { startServer } from '../../src/server.ts'
import { mint } from '../auth/visitors.ts'
import type { Received } from '../face/client.ts'
import type { Chat } from './chat.ts'
import { askCall, OWNER_KEY, sharedWorld, STORES, type World } from './world.ts'

type Refused = { detail?: string; code?: string }

const pathOf = (id: string, turn_id: string) => `/api/sessions/${id}/messages/${turn_id}/feedback`
const given = ({ received }: Chat) => received.filter(({ name }) => name === 'feedback:given')
const short = ({ payload }: Received) => [payload['value'], payload['comment']]
const isGiven =
  (value: string | null, comment: string | null = null) =>
  ({ name, payload }: Received) =>
    name === 'feedback:given' && payload['value'] === value && payload['comment'] === comment

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const give = (at: string, body: unknown, token?: string) =>
    world().rest<GivenFeedback & Refused>('PUT', at, { body, ...(token && { token }) })

  /** A client in a session of its own, with an answer. */
  async function answered(question: string): Promise<{ chat: Chat; path: string; answer: TurnProjection }> {
    world().learn({ [question]: [{ text: 'An answer.' }], [`${question}, again`]: [{ text: 'Another.' }] })
    const chat = await world().chat()
    await chat.run(question)
    const [, answer] = await chat.messages()
    return { chat, path: pathOf(chat.session_id, answer!.turn_id), answer: answer! }
  }

  test('[W6.11.1] [W6.11.2] giving, changing and taking back are told to everybody who follows, in order and once', async () => {
    const { chat, path, answer } = await answered('tell it')
    await using one = chat
    await using two = await world().chat({ session_id: chat.session_id })
    const [before] = [(await chat.session()).last_event_seq]
    const liked = await give(path, { value: 'like' })
    await give(path, { value: 'like' })
    await give(path, { value: 'dislike', comment: 'wrong' })
    await give(path, { value: null })
    await give(path, { value: null })
    for (const each of [one, two]) await each.until(isGiven(null))
    expect(given(two)).toEqual(given(one))
    expect(given(one).map(short)).toEqual([
      ['like', null],
      ['dislike', 'wrong'],
      [null, null],
    ])
    const { session_id, created_at: _, ...told } = liked.body as Feedback
    expect(given(one)[0]!.payload).toEqual({ ...told, session_id, event_seq: before + 1 })
    expect(told).toMatchObject({ turn_id: answer.turn_id, user_id: (await chat.session()).user_id })
    expect(told).not.toHaveProperty('subject')
    for (const { payload } of given(one)) eventSchemas['feedback:given'].parse(payload)
    // Nothing else was told, and nothing of the turn itself has changed.
    expect((await chat.session()).last_event_seq).toBe(before + 3)
    expect((await chat.messages())[1]).toEqual(answer)
  })

  test('[W11.3] [W6.11] messages carry it, and events fold to the same', async () => {
    const { chat, path } = await answered('read it')
    await using _chat = chat
    await give(path, { value: 'dislike', comment: 'too short' })
    await chat.until(isGiven('dislike', 'too short'))
    const turns = await chat.messages()
    expect(turns.map(({ feedback }) => feedback?.comment)).toEqual([undefined, 'too short'])
    expect(chat.fold().turns[1]!.feedback).toEqual(turns[1]!.feedback)
    expect(withRestTurns(emptyProjection, turns).turns[1]!.feedback).toMatchObject({ value: 'dislike' })
    await give(path, { value: null })
    await chat.until(isGiven(null))
    expect((await chat.messages())[1]).not.toHaveProperty('feedback')
    expect(chat.fold().turns[1]!.feedback).toBeNull()
  })

  test.each(['delta', 'compat', 'sync'])(
    '[W2.3] [W6.11] in mode %s it is replayed with since, in its place',
    async (patch_mode) => {
      const { chat, path } = await answered(`replay in ${patch_mode}`)
      const since = (await chat.session()).last_event_seq
      await chat[Symbol.asyncDispose]()
      await give(path, { value: 'like' })
      await using away = await world().chat({ session_id: chat.session_id })
      await away.run(`replay in ${patch_mode}, again`)
      await give(path, { value: 'dislike', comment: 'on second thought' })
      await using back = await world().connect()
      const ack = await back.ask('session:subscribe', { session_id: chat.session_id, since, patch_mode })
      expect(ack).toMatchObject({ status: 'ok', replayed: true })
      await back.until(isGiven('dislike', 'on second thought'))
      const names = back.names().filter((name) => /^(chat|feedback):/.test(name))
      expect(names).toEqual(['feedback:given', 'chat:start', 'chat:end', 'feedback:given'])
      const numbers = back.received.map(({ payload }) => payload['event_seq'] as number)
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      // Live it comes the same way.
      await give(path, { value: null })
      await back.until(isGiven(null))
    },
  )

  test('[W2.3] [W6.11] who cannot be brought up to date is not told the old, and reads it with the messages', async () => {
    const { chat, path } = await answered('resync it')
    await chat[Symbol.asyncDispose]()
    await give(path, { value: 'like' })
    await using back = await world().connect()
    const ack = await back.ask('session:subscribe', { session_id: chat.session_id, since: 987_654 })
    expect(ack).toMatchObject({ status: 'ok', replayed: false })
    expect(back.names()).not.toContain('feedback:given')
    expect((await world().messages(chat.session_id))[1]).toMatchObject({ feedback: { value: 'like' } })
  })

  test('[W6.11] while a run is under way it is told among its events, also on an event stream, and harms neither', async () => {
    const { chat, path } = await answered('rate meanwhile')
    await using _chat = chat
    const { session_id } = chat
    world().learn({
      'take long': [{ calls: [{ name: 'Work', arguments: { name: `rate-${store}` } }] }, { text: 'Done.' }],
    })
    const streamed = world().rest<string>('POST', `/api/sessions/${session_id}/chat`, {
      body: { message: 'take long' },
      headers: { accept: 'text/event-stream' },
    })
    await world().gates.reached(`rate-${store}`)
    await give(path, { value: 'like', comment: 'meanwhile' })
    world().gates.open(`rate-${store}`)
    const names = [...(await streamed).body.matchAll(/^event: (.+)$/gm)].map(([, name]) => name!)
    expect(names.filter((name) => /^(chat|feedback):/.test(name))).toEqual(['chat:start', 'feedback:given', 'chat:end'])
    expect((await chat.messages()).at(-1)).toMatchObject({ status: 'completed' })
    expect(world().requests('take long')).toHaveLength(2)
  })

  test('[W6.11.4] no model is ever given a word of it', async () => {
    const { chat, path } = await answered('keep it from models')
    await using _chat = chat
    await give(path, { value: 'dislike', comment: 'SECRET-REMARK' })
    await chat.run('keep it from models, again')
    const history = await world().rest('GET', `/api/sessions/${chat.session_id}/history`)
    expect(JSON.stringify(history.body)).not.toContain('SECRET-REMARK')
    const asked = world().provider.requests.filter(({ bytes }) => bytes.includes('SECRET-REMARK'))
    expect(asked).toHaveLength(0)
  })

  test('[W6.11.4] [W10.5] a turn that goes on after a question keeps what was thought of it', async () => {
    world().learn({ 'rate a question': [{ text: 'Which?', calls: [askCall()] }, { text: 'That.' }] })
    await using chat = await world().chat()
    await chat.run('rate a question')
    const [, paused] = await chat.messages()
    expect(paused!.status).toBe('paused')
    await give(pathOf(chat.session_id, paused!.turn_id), { value: 'like' })
    await chat.until(isGiven('like'))
    await chat.answer()
    const turns = await chat.messages()
    expect(turns[1]).toMatchObject({ status: 'completed', feedback: { value: 'like' } })
    expect(chat.fold().turns.find(({ turn_id }) => turn_id === paused!.turn_id)).toMatchObject({
      status: 'completed',
      feedback: { value: 'like' },
    })
  })

  test('[W6.11] a visitor’s is told under their name, to them and their account, and to no other visitor', async () => {
    world().learn({ 'rate as a visitor': [{ text: 'For a visitor.' }] })
    const { token } = await mint(world(), 'visitor-7', { scopes: ['chat'] })
    const id = await world().newSession({}, token)
    await world().rest('POST', `/api/sessions/${id}/chat`, { body: { message: 'rate as a visitor' }, token })
    const messages = (by: string, query = '') =>
      world().rest<TurnProjection[]>('GET', `/api/sessions/${id}/messages${query}`, { token: by })
    const { turn_id } = (await messages(token)).body.at(-1)!
    await using theirs = await world().connect({ token })
    await theirs.ask('session:subscribe', { session_id: id })
    await give(pathOf(id, turn_id), { value: 'dislike', comment: 'no use' }, token)
    const { payload } = await theirs.until('feedback:given')
    expect(payload).toMatchObject({ turn_id, subject: 'visitor-7', comment: 'no use' })
    const read = await messages(OWNER_KEY, '?subject=visitor-7')
    expect(read.body.at(-1)!.feedback).toMatchObject({ subject: 'visitor-7', comment: 'no use' })
    const other = await mint(world(), 'visitor-8', { scopes: ['chat'] })
    await using nosy = await world().connect({ token: other.token })
    expect(await nosy.ask('session:subscribe', { session_id: id, since: 0 })).toMatchObject({
      code: 'session_not_found',
    })
    const unscoped = await mint(world(), 'visitor-7', { scopes: ['files'] })
    expect((await give(pathOf(id, turn_id), { value: 'like' }, unscoped.token)).status).toBe(403)
    expect(nosy.names()).not.toContain('feedback:given')
  })

  test('[W6.11.1] [W11.7] what is given at the same moment is all told, and the last of it is what holds', async () => {
    const { chat, path } = await answered('rate at once')
    await using _chat = chat
    const comments = Array.from({ length: 12 }, (_, n) => `number ${n}`)
    const answers = await Promise.all(
      comments.map((comment, n) => give(path, { value: n % 2 === 0 ? 'like' : 'dislike', comment })),
    )
    expect(answers.map(({ status }) => status)).toEqual(comments.map(() => 200))
    const { feedback } = (await chat.messages())[1]!
    await chat.until(() => given(chat).length === comments.length, 'all of them')
    expect(new Set(given(chat).map(({ payload }) => payload['comment']))).toEqual(new Set(comments))
    const { session_id: _session, turn_id: _turn, event_seq: _seq, ...last } = given(chat).at(-1)!.payload
    expect(last).toEqual(feedback)
  })

  test('[W11.7] hostile comments are refused by name, or kept as the data that they are', async () => {
    const { chat, path } = await answered('say bad things')
    await using _chat = chat
    expect(await give(path, { value: 'like', comment: 'x'.repeat(10_000_000) })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
    expect(await give(path, { value: 'like', comment: '\0' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('comment') },
    })
    const kept = [
      `<img src=x onerror="alert(1)"></script>`,
      `\u202Egnp.exe\u202C and \u2067more`,
      `line\none\ttab \u0007bell \u001b[31mred`,
      `'; DROP TABLE feedback; --`,
      `{"text_delta":"x"},"patch_type":"add_content"`,
      '🏳️‍🌈'.repeat(333),
      'x'.repeat(2_000),
    ]
    for (const comment of kept) {
      expect((await give(path, { value: 'dislike', comment })).body).toMatchObject({ comment })
      expect((await chat.until(isGiven('dislike', comment))).payload).toMatchObject({ comment })
      expect((await chat.messages())[1]).toMatchObject({ feedback: { comment } })
    }
    // Half a character cannot be kept; row and event say the same in its place.
    await give(path, { value: 'dislike', comment: 'half \ud83c' })
    await chat.until(isGiven('dislike', 'half \ufffd'))
    expect((await chat.messages())[1]).toMatchObject({ feedback: { comment: 'half \ufffd' } })
    expect(world().errors).toEqual([])
  })

  test('[W11.7] it is found by what was said, whether there is a comment, and when', async () => {
    const { chat, path } = await answered('find it')
    await using _chat = chat
    world().learn({ 'find one more': [{ text: 'More.' }] })
    await chat.run('find one more')
    const last = (await chat.messages()).at(-1)!
    const before = new Date().toISOString()
    await give(path, { value: 'like', comment: 'good' })
    await give(pathOf(chat.session_id, last.turn_id), { value: 'dislike' })
    const page = async (at: string) => (await world().rest<FeedbackPage & Refused>('GET', at)).body
    const own = `/api/sessions/${chat.session_id}/feedback`
    const values = async (query: string) => (await page(`${own}?${query}`)).items.map(({ value }) => value)
    expect(await page(own)).toMatchObject({ total: 2, next_cursor: null })
    expect(await values('commented=true')).toEqual(['like'])
    expect(await values('commented=false')).toEqual(['dislike'])
    expect(await values('value=like')).toEqual(['like'])
    const first = await page(`${own}?limit=1`)
    expect(first).toMatchObject({ total: 2, items: [{ value: 'dislike' }] })
    expect(await page(`${own}?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
      items: [{ value: 'like', comment: 'good', user_id: (await chat.session()).user_id }],
      next_cursor: null,
    })
    const all = `/api/feedback?session_id=${chat.session_id}`
    expect((await page(`${all}&from=${before}`)).total).toBe(2)
    expect((await page(`${all}&to=${before}`)).total).toBe(0)
    expect((await page(`${all}&commented=true`)).items).toMatchObject([{ comment: 'good' }])
    for (const [at, named] of [
      [`${own}?limit=0`, 'limit'],
      [`${own}?comented=true`, 'commented'],
      [`${own}?cursor=1`, 'cursor'],
      [`${all}&from=yesterday`, 'from'],
      [`${all}&commented=perhaps`, 'commented'],
    ] as const)
      expect(await page(at)).toMatchObject({ code: 'invalid_payload', detail: expect.stringContaining(named) })
  })

  test('[W11.7] a session that is deleted meanwhile takes nothing more, and leaves nothing', async () => {
    const { chat, path } = await answered('rate and delete')
    await using _chat = chat
    const values = ['like', 'dislike'] as const
    const giving = Array.from({ length: 10 }, (_, n) => give(path, { value: values[n % 2] }))
    await world().rest('DELETE', `/api/sessions/${chat.session_id}`)
    for (const { status } of await Promise.all(giving)) expect([200, 404]).toContain(status)
    expect((await give(path, { value: 'like' })).status).toBe(404)
    const left = await world().rest<FeedbackPage>('GET', `/api/feedback?session_id=${chat.session_id}`)
    expect(left.body.total).toBe(0)
    await chat.until('session:deleted')
    expect(world().errors).toEqual([])
  })

  test('[W6.11.3] it survives a restart, and its history with it', async () => {
    const { chat, path } = await answered('rate for good')
    await chat[Symbol.asyncDispose]()
    await give(path, { value: 'like' })
    await give(path, { value: 'dislike', comment: 'still wrong' })
    await world().stop()
    await world().start()
    await using back = await world().connect()
    await back.ask('session:subscribe', { session_id: chat.session_id, since: 0 })
    await back.until(isGiven('dislike', 'still wrong'))
    expect(back.received.filter(({ name }) => name === 'feedback:given').map(short)).toEqual([
      ['like', null],
      ['dislike', 'still wrong'],
    ])
  })
})

/** Another server on the same database. */
async function openBeside(world: World) {
  await using parts = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-wire-'))
  parts.defer(() => rm(dataDir, { recursive: true, force: true }))
  const options = withDefaults({
    ...{ host: '127.0.0.1', port: 0, dataDir, databaseUrl: world.databaseUrl!, ownerKey: OWNER_KEY },
    ...{ secret: 'a secret for tests that nobody needs to know', modelUrl: world.provider.url, model: 'fake-model' },
  })
  const { url } = parts.use(await startServer(options, pino({ level: 'silent' })))
  const kept = parts.move()
  return { url, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

describe('on two instances', () => {
  const world = sharedWorld('postgres')

  test('[W6.11] what is given on one is told on the other, in one order', async () => {
    world().learn({ 'rate across': [{ text: 'Here.' }] })
    await using beside = await openBeside(world())
    await using chat = await world().chat()
    await chat.run('rate across')
    const [, answer] = await chat.messages()
    const path = pathOf(chat.session_id, answer!.turn_id)
    const at = async (url: string, body: object) => {
      const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' }
      return (await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) })).status
    }
    const urls = [world().url, beside.url]
    const all = Array.from({ length: 10 }, (_, n) => at(urls[n % 2]!, { value: 'like', comment: `from ${n}` }))
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]))
    await chat.until(() => given(chat).length === 10, 'all of them')
    const numbers = given(chat).map(({ payload }) => payload['event_seq'] as number)
    expect(numbers).toEqual(numbers.map((_, n) => numbers[0]! + n))
    expect((await chat.messages())[1]!.feedback!.comment).toBe(given(chat).at(-1)!.payload['comment'])
  })
})
