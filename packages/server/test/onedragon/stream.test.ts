import { describe, expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { answer, ask, post } from './reader.ts'

const world = sharedWorld()

describe('a plain answer', () => {
  test('[O16.1] [O3.1] [O3.2] [O3.3] [O3.5] [O4] every frame is one line of JSON behind "data: ", the last one too, and then the response ends', async () => {
    world().learn({ 'dragon: hello': [{ text: '你好\n世界 "!"' }] })
    const response = await answer(world(), { user_input: 'dragon: hello' })
    expect(response.raw.endsWith('"type":"response_completed","message":{}}\n\n')).toBe(true)
    const frames = response.raw.split('\n\n').slice(0, -1)
    for (const frame of frames) expect(frame).toMatch(/^data: \{"session_id":"[^"]+","type":"\w+","message":\{.*\}\}$/)
    expect(frames).toHaveLength(response.frames.length)
    expect(response.types.at(0)).toBe('status')
    expect(response.frames[0]!.message).toEqual({ hint: 'connected' })
    expect(response.types.filter((type) => type === 'response_completed')).toHaveLength(1)
  })

  test('[O2] has the headers of a stream, whatever is accepted', async () => {
    world().learn({ 'dragon: headers': [{ text: 'ok' }] })
    const { reply } = await answer(world(), { user_input: 'dragon: headers' }, { headers: { accept: '*/*' } })
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(reply.headers.get('x-accel-buffering')).toBe('no')
    expect(reply.headers.get('connection')).toBe('keep-alive')
  })

  test('[O3.4] silence is broken by a comment, which is no frame', { timeout: 60_000 }, async () => {
    world().learn({ 'dragon: silent': [{ text: 'wait', hang: 'after' }] })
    const leaving = new AbortController()
    const response = await ask(world(), { user_input: 'dragon: silent' }, { signal: leaving.signal })
    await expect.poll(() => response.raw, { timeout: 30_000 }).toMatch(/\n\n: ping\n\n$/)
    expect(response.types.filter((type) => type !== 'message_update')).toEqual(['status'])
    leaving.abort()
  })

  test('[O5] [O9.1] is one message, told whole each time and completed once', async () => {
    world().learn({ 'dragon: grow': [{ text: 'one two three four five six', chunkDelayMs: 60 }] })
    const response = await answer(world(), { user_input: 'dragon: grow' })
    const messages = response.frames.filter(({ type }) => type.startsWith('message_'))
    const texts = messages.map(({ message }) => message.content.map(({ text }) => text).join(''))
    for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? '')).toBe(true)
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.at(-1)).toBe('one two three four five six')
    expect(new Set(messages.map(({ message }) => `${message.id} ${message.timestamp}`)).size).toBe(1)
    expect(response.completed()).toEqual([
      {
        id: expect.stringMatching(/^turn_/),
        name: 'OneDragon',
        role: 'assistant',
        content: [{ type: 'text', text: 'one two three four five six' }],
        metadata: null,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/),
      },
    ])
  })

  test('[O5] [OB11] timestamps are those of the configured zone, and of when the message was begun', async () => {
    world().learn({ 'dragon: when': [{ text: 'now' }] })
    const response = await answer(world(), { user_input: 'dragon: when' })
    const [message] = response.completed()
    const turn = (await world().messages(response.session_id)).find(({ turn_id }) => turn_id === message!.id)!
    expect(new Date(`${message!.timestamp.replace(' ', 'T')}+08:00`).toISOString()).toBe(turn.started_at)
  })

  test('[O16.3] [O12.1] a session of the first response is continued, and the model sees what was said', async () => {
    world().learn({ 'dragon: first': [{ text: 'one' }], 'dragon: second': [{ text: 'two' }] })
    const first = await answer(world(), { user_input: 'dragon: first', session_id: null })
    const second = await answer(world(), { user_input: 'dragon: second', session_id: first.session_id })
    expect(second.session_id).toBe(first.session_id)
    const [request] = world().requests('dragon: second')
    expect(JSON.stringify(request!.messages)).toContain('dragon: first')
    expect(JSON.stringify(request!.messages)).toContain('one')
    expect(new Set([...first.frames, ...second.frames].map(({ session_id }) => session_id)).size).toBe(1)
  })

  test('[O9] when the model fails in the middle, what was said is completed, then the error, then the end', async () => {
    world().learn({ 'dragon: broken': [{ text: 'part', hangUp: true }] })
    const response = await answer(world(), { user_input: 'dragon: broken' })
    expect(response.trace.slice(-3)).toEqual([
      'message_completed(part)',
      'error(Model request failed(502))',
      'response_completed',
    ])
  })
})

test('[O12.2] closing the connection interrupts: the model call is aborted and what was said is kept', async () => {
  world().learn({ 'dragon: leave': [{ text: 'some words', hang: 'after' }], 'dragon: back': [{ text: 'hello again' }] })
  const leaving = new AbortController()
  const response = await ask(world(), { user_input: 'dragon: leave' }, { signal: leaving.signal })
  await response.until(({ type }) => type === 'message_update')
  leaving.abort()
  expect(await world().requests('dragon: leave')[0]!.closed).toBe('aborted')
  const { session_id } = response
  const next = await answer(world(), { user_input: 'dragon: back', session_id })
  expect(next.completed().map(({ content }) => content)).toEqual([[{ type: 'text', text: 'hello again' }]])
  expect(next.raw).not.toContain('some words')
})

test.each([
  ['nothing', {}, 'user_input'],
  ['an empty text', { user_input: ' \n ' }, 'user_input'],
  ['a number', { user_input: 7 }, 'user_input'],
  ['too long a text', { user_input: 'x'.repeat(32_769) }, 'user_input'],
  ['a session that is no text', { user_input: 'x', session_id: 7 }, 'session_id'],
  ['a configuration without a model', { user_input: 'x', model_config_id: 1 }, 'model_id'],
  ['a model without a configuration', { user_input: 'x', model_id: 'm' }, 'model_config_id'],
])('[O2.1] [O11.1] %s is 422 with the field in both texts, and nothing is stored', async (_what, body, field) => {
  const before = (await world().sessions()).length
  const reply = await post(world(), body)
  expect(reply.status).toBe(422)
  const said = (await reply.json()) as { detail: string; message: string }
  expect(said.detail).toContain(field)
  expect(said.message).toBe(said.detail)
  expect((await world().sessions()).length).toBe(before)
})
