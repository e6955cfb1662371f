import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CreatedApiKey } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { onedragonSchema } from '../../src/config/onedragon-options.ts'
import { OWNER_KEY, sharedWorld, World } from '../wire/world.ts'
import { answer, ask, post } from './reader.ts'

const world = sharedWorld()

describe('in the stream', () => {
  test.each([
    ['a refused key', { error: { status: 401 } }, 'Model request failed(502)'],
    ['a limit', { error: { status: 429, retryAfter: 3_600 } }, 'Model rate limit reached(429)'],
    [
      'a conversation too long',
      { error: { status: 400, overflow: true } },
      'The conversation is too long for the model(502)',
    ],
  ])(
    '[O16.2] [O16.7] [O9.4] [OB9] [O11.2] %s before the first word: the error alone, then the end, and no word of the provider’s',
    async (what, reply, hint) => {
      const user_input = `fails: ${what}`
      world().learn({ [user_input]: () => reply })
      const response = await answer(world(), { user_input })
      expect(response.trace).toEqual(['status(connected)', `error(${hint})`, 'response_completed'])
      expect(response.raw).not.toContain('fake-model')
    },
  )

  test('[O11.2] a server that stops completes the message, says 503, and ends the response', async () => {
    await using stopping = await World.open('sqlite')
    stopping.learn({ 'stops: now': [{ text: 'half an answer', hang: 'after' }], 'stops: next': [{ text: 'hello' }] })
    const response = await ask(stopping, { user_input: 'stops: now' })
    await response.until(({ message }) => JSON.stringify(message).includes('half an answer'))
    await stopping.stop()
    await response.done
    expect(response.trace.slice(-3)).toEqual([
      'message_completed(half an answer)',
      'error(Service Unavailable(503))',
      'response_completed',
    ])
    await stopping.start()
    const { session_id } = response
    const next = await answer(stopping, { user_input: 'stops: next', session_id })
    expect(next.completed()).toHaveLength(1)
  })

  test('[O16.7] [OB10] [O11.2] when nothing can be stored any more, the response ends within two seconds', async () => {
    await using locked = await World.open('sqlite', { leaseMs: 3_000 })
    const text = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(' ')
    locked.learn({ 'store: down': [{ text, chunkDelayMs: 20 }] })
    const response = await ask(locked, { user_input: 'store: down' })
    await response.until(({ type }) => type === 'message_update')
    const database = new DatabaseSync(join(locked.dataDir, 'parley.sqlite'), { timeout: 10_000 })
    database.exec('BEGIN IMMEDIATE')
    const downAt = performance.now()
    await response.done
    expect(performance.now() - downAt).toBeLessThan(2_000)
    expect(response.types.slice(-3)).toEqual(['message_completed', 'error', 'response_completed'])
    database.exec('ROLLBACK')
    database.close()
  })

  test('[O11.2] a credential that ends takes its response along', async () => {
    const { body } = await world().rest<CreatedApiKey>('POST', '/api/user/api-keys', { body: { name: 'k' } })
    const { plaintext: token, key } = body
    world().learn({ 'key: ends': [{ text: 'some words', hang: 'after' }] })
    const response = await ask(world(), { user_input: 'key: ends' }, { token })
    await response.until(({ type }) => type === 'message_update')
    await world().rest('DELETE', `/api/user/api-keys/${key.id}`)
    await response.done
    expect(response.trace.slice(-3)).toEqual([
      'message_completed(some words)',
      'error(Unauthorized(401))',
      'response_completed',
    ])
    expect(await world().requests('key: ends')[0]!.closed).toBe('aborted')
  })

  test('[O12.1] a session that is deleted meanwhile ends its response', async () => {
    world().learn({ 'deleted: now': [{ text: 'some words', hang: 'after' }] })
    const response = await ask(world(), { user_input: 'deleted: now' })
    await response.until(({ type }) => type === 'message_update')
    await world().rest('DELETE', `/api/sessions/${response.session_id}`)
    await response.done
    expect(response.types.slice(-2)).toEqual(['error', 'response_completed'])
  })
})

describe('before the stream', () => {
  test.each([
    ['no JSON', '{', 422],
    ['a list', '[]', 422],
    ['a text', '"hello"', 422],
    ['too large', JSON.stringify({ user_input: 'x'.repeat(2 * 1024 * 1024) }), 413],
    ['too deep', `{"user_input":"x","more":${'['.repeat(200)}${']'.repeat(200)}}`, 422],
    ['a prototype', '{"__proto__":{"user_input":"x"}}', 422],
    ['a NUL in the session', JSON.stringify({ user_input: 'x', session_id: 'a\0b' }), 404],
    ['a session of nobody', JSON.stringify({ user_input: 'x', session_id: "'; DROP TABLE sessions; --" }), 404],
    ['a session too long', JSON.stringify({ user_input: 'x', session_id: 'x'.repeat(300) }), 422],
    ['a fraction', JSON.stringify({ user_input: 'x', model_config_id: 1.5, model_id: 'm' }), 422],
    ['a huge number', '{"user_input":"x","model_config_id":1e300,"model_id":"m"}', 422],
  ])('[O2.1] [O11.1] %s is refused with both texts, and nothing is stored', async (_what, body, status) => {
    const before = (await world().sessions()).length
    const reply = await post(world(), body)
    expect(reply.status).toBe(status)
    const said = (await reply.json()) as { detail: string; message: string }
    expect(said.detail).toEqual(expect.any(String))
    expect(said.message).toBe(said.detail)
    expect((await world().sessions()).length).toBe(before)
  })

  test('[O2.1] the longest input is taken, counted in characters', async () => {
    const user_input = '😀'.repeat(32_768)
    world().learn({ [user_input]: [{ text: 'long' }] })
    expect((await answer(world(), { user_input })).completed()).toHaveLength(1)
    expect((await post(world(), { user_input: `${user_input}x` })).status).toBe(422)
  })

  test('[O2.5] a session of somebody else is as good as none', async () => {
    world().learn({ 'mine: one': [{ text: 'ok' }] })
    const { session_id } = await answer(world(), { user_input: 'mine: one' })
    const reply = await post(world(), { user_input: 'theirs', session_id }, { token: world().strangersKey })
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
      404,
      `Session not found: ${session_id}`,
    ])
  })

  test('[O1] without a credential it is 401, in the same form', async () => {
    const reply = await post(world(), { user_input: 'x' }, { token: 'wrong' })
    expect(reply.status).toBe(401)
    expect(await reply.json()).toMatchObject({ detail: expect.any(String), message: expect.any(String) })
  })
})

describe('[O16.13] [O1] under a prefix, for pages of other sites', () => {
  const origin = 'https://app.example.com'
  const options = onedragonSchema.parse({ prefix: '/od', name: 'Drache', timeZone: 'UTC', showThinking: true })
  const prefixed = sharedWorld('sqlite', { allowedOrigins: [origin], faces: { onedragon: options } })

  test('all of it is below the prefix and nowhere else', async () => {
    prefixed().learn({ 'prefix: hello': [{ text: 'hi' }] })
    const response = await answer(prefixed(), { user_input: 'prefix: hello' }, { path: '/od/chat/stream' })
    const [message] = response.completed()
    expect(message!.name).toBe('Drache')
    const turn = (await prefixed().messages(response.session_id)).find(({ turn_id }) => turn_id === message!.id)!
    expect(`${message!.timestamp.replace(' ', 'T')}Z`).toBe(turn.started_at)
    expect((await post(prefixed(), { user_input: 'x' })).status).toBe(404)
    expect((await prefixed().rest('GET', '/od/api/models/configs')).status).toBe(200)
    expect((await prefixed().rest('GET', '/api/models/configs')).status).toBe(404)
  })

  test.each([
    ['/od/chat/stream', 'POST'],
    ['/od/chat/get_analyse_by_code_result', 'POST'],
    ['/od/api/models/configs', 'GET'],
    ['/od/api/models/configs/1', 'PUT'],
    ['/od/api/models/configs/1/status', 'PATCH'],
  ])('%s answers a preflight, and lets the page read errors', async (path, method) => {
    const preflight = await fetch(prefixed().url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,authorization',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE, OPTIONS')
    const allowed = preflight.headers.get('access-control-allow-headers')!.toLowerCase().split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['content-type', 'authorization']))
    const error = await fetch(prefixed().url + path, {
      method,
      headers: { origin, 'content-type': 'application/json', authorization: 'Bearer wrong' },
    })
    expect(error.status).toBe(401)
    expect(error.headers.get('access-control-allow-origin')).toBe(origin)
  })

  test('[O6] thinking stands before the text where it is to be shown', async () => {
    prefixed().learn({ 'prefix: think': [{ thinking: 'hm', text: 'well' }] })
    const response = await answer(prefixed(), { user_input: 'prefix: think' }, { path: '/od/chat/stream' })
    expect(response.completed().map(({ content }) => content)).toEqual([
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'well' },
      ],
    ])
  })

  test('the stream itself can be read by the page', async () => {
    prefixed().learn({ 'prefix: page': [{ text: 'hi' }] })
    const { reply } = await answer(
      prefixed(),
      { user_input: 'prefix: page' },
      { path: '/od/chat/stream', headers: { origin, authorization: `Bearer ${OWNER_KEY}` } },
    )
    expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
  })
})

describe('[O7] generate_response', () => {
  const faces = { onedragon: onedragonSchema.parse({ emitGenerateResponse: true }) }
  const emitting = sharedWorld('sqlite', { faces })

  test('is sent only where that is switched on, with the whole text each time and without a result', async () => {
    emitting().learn({ 'emit: hello': [{ text: 'one two three', chunkDelayMs: 60 }] })
    const response = await answer(emitting(), { user_input: 'emit: hello' })
    const [message] = response.completed()
    expect(response.completed()).toHaveLength(1)
    expect(message!.content).toEqual([
      {
        type: 'tool_use',
        id: `${message!.id}_response`,
        name: 'generate_response',
        input: { response: 'one two three' },
      },
    ])
    for (const { message: update } of response.frames.filter(({ type }) => type === 'message_update'))
      expect('one two three').toContain(update.content[0]!.input!['response'])
  })
})
