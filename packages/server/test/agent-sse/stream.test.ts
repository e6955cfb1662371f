import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { ask, inShort, newSessionId, open, textIn } from './sse.ts'

const world = sharedWorld()

test('[ST1] [S5.1] [S5.2] [S6.1] [S3.6] an answer without tools, from its first event to its terminal one', async () => {
  world().learn({ 你好: [{ text: '你好！今天 想做 什么？' }] })
  const sessionId = newSessionId()
  const events = await ask(world(), { message: '你好', sessionId, messageId: 'msg_456' })
  expect(inShort(events).filter((type) => type !== 'content_chunk')).toEqual([
    'processing_started',
    'confirmation_check',
    'iteration_started{1}',
    'decision',
    'iteration_completed{1}',
    'completed',
  ])
  expect(textIn(events)).toBe('你好！今天 想做 什么？')
  expect(events.filter(({ type }) => type === 'content_chunk').map(({ data }) => data['isComplete'])).toEqual([
    ...Array.from({ length: events.length - 7 }, () => false),
    true,
  ])
  const rest = events.filter(({ type }) => type !== 'content_chunk').map(({ data }) => data)
  expect(rest).toEqual([
    { messageId: 'msg_456' },
    { description: 'Checking if operation requires confirmation' },
    { iteration: 1, maxIterations: 10 },
    { reason: 'Task completed successfully', completed: true },
    { iteration: 1, duration: expect.any(Number), toolCallCount: 0 },
    { messageId: 'msg_456', totalDuration: expect.any(Number), iterations: 1, toolCalls: 0 },
  ])
  expect(new Set(events.map((event) => event.sessionId))).toEqual(new Set([sessionId]))
})

test('[S18.1] [S3] [S3.1] [S3.2] [S3.3] [S4] a frame is four lines, its id made of the time and a number that grows', async () => {
  world().learn({ 'say something': [{ text: 'a line\nand another' }] })
  await using stream = await open(world(), { message: 'say something', sessionId: newSessionId() })
  expect(stream.response.status).toBe(200)
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  await stream.all()
  let last = 0
  let lastAt = 0
  for (const [index, event] of stream.events.entries()) {
    const { id, type, timestamp, sessionId, data } = event
    expect(stream.raw[index]).toBe(
      `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, timestamp, sessionId, data })}\n\n`,
    )
    const [, at, number] = /^evt_(\d{13})_(\d+)$/.exec(id)!
    expect(Number(at)).toBe(timestamp)
    expect(Number(number)).toBeGreaterThan(last)
    expect(timestamp).toBeGreaterThanOrEqual(lastAt)
    last = Number(number)
    lastAt = timestamp
  }
})

test('[S2.0.1] [SA26] a server names what the client does not', async () => {
  world().learn({ 'who am I?': [{ text: 'You.' }] })
  const events = await ask(world(), { message: 'who am I?' })
  expect(events[0]).toMatchObject({
    sessionId: expect.stringMatching(/^session_[A-Za-z0-9]{22,}$/),
    data: { messageId: expect.stringMatching(/^msg_[A-Za-z0-9]{22,}$/) },
  })
})

test('[S2.1] [S6.2.1] a session that is deleted under its readers ends their streams with an error', async () => {
  world().learn({ 'soon gone': [{ text: 'Hm', hang: 'after' }] })
  const sessionId = newSessionId()
  await using sender = await open(world(), { message: 'soon gone', sessionId })
  await sender.until('content_chunk')
  await using observer = await open(world(), null, { path: `/api/agent/chat/stream?sessionId=${sessionId}` })
  await observer.until('heartbeat')
  const { id } = (await world().sessions()).find(({ status }) => status === 'running')!
  await world().rest('DELETE', `/api/sessions/${id}`)
  for (const stream of [sender, observer])
    expect((await stream.all()).at(-1)).toMatchObject({ type: 'error', data: { code: 'NOT_FOUND' } })
})
