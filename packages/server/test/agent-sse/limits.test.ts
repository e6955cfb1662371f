import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { expectGrammar } from './grammar.ts'
import { ask, dataOf, newSessionId, open, pendingIn, structure } from './sse.ts'

// What a run and a stream may take.

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
  faces: { agentSse: { maxIterations: 2, maxConcurrent: 3, maxDuration: 1_500, heartbeatInterval: 1_000 } },
})

const again = (name: string) => () => ({ text: 'Once more. ', calls: [{ name: 'Break', arguments: { why: name } }] })

test('[ST9] [S12] the limit of iterations is said', async () => {
  world().learn({ 'for ever': again('st9') })
  const events = await ask(world(), { message: 'for ever', sessionId: newSessionId(), messageId: 'm' })
  expectGrammar(events)
  expect(structure(events)).toEqual([
    'processing_started',
    'confirmation_check',
    ...['iteration_started{1}', 'tool_call_started', 'tool_error', 'iteration_completed{1}'],
    ...['iteration_started{2}', 'tool_call_started', 'tool_error', 'iteration_completed{2}'],
    'decision',
    'max_iterations',
    'completed',
  ])
  expect(dataOf(events, 'iteration_started')).toEqual({ iteration: 2, maxIterations: 2 })
  expect(dataOf(events, 'decision')).toEqual({ reason: 'Reached maximum iteration limit (2)', completed: false })
  expect(dataOf(events, 'max_iterations')).toEqual({ iterations: 2, partialContent: 'Once more. Once more. ' })
  expect(dataOf(events, 'completed')).toMatchObject({ messageId: 'm', iterations: 2, toolCalls: 2 })
  expect(world().requests('for ever')).toHaveLength(2)
})

test('[S8.4] iterations count on across consent, and waiting counts against nothing', async () => {
  const bash = { name: 'Bash', arguments: { command: 'rm it' } }
  world().learn({ 'delete twice': () => ({ calls: [bash] }) })
  const sessionId = newSessionId()
  const first = await ask(world(), { message: 'delete twice', sessionId })
  const second = await ask(world(), { message: 'ok', sessionId, pendingConfirmation: pendingIn(first) })
  expect(dataOf(second, 'iteration_started')).toEqual({ iteration: 2, maxIterations: 2 })
  const third = await ask(world(), { message: 'ok', sessionId, pendingConfirmation: pendingIn(second) })
  expectGrammar(third)
  expect(structure(third)).toEqual([
    'processing_started',
    ...['iteration_started{2}', 'tool_call_started', 'tool_call_completed', 'iteration_completed{2}'],
    ...['decision', 'max_iterations', 'completed'],
  ])
  expect(world().requests('delete twice')).toHaveLength(2)
})

test('[S18.11] [S12] [S6.3] a run that takes too long is stopped, and nobody is said to have cancelled it', async () => {
  world().learn({ 'never ends': [{ text: 'Hm', hang: 'after' }] })
  const events = await ask(world(), { message: 'never ends', sessionId: newSessionId() })
  expectGrammar(events)
  expect(events.slice(-2).map(({ type, data }) => [type, data])).toEqual([
    ['decision', { reason: 'Operation timed out', completed: false }],
    ['cancelled', { reason: 'timeout', partialContent: 'Hm' }],
  ])
})

test('[S3.4] [S5.5] [S12] silence is broken by beats, from which nothing can be resumed', async () => {
  world().learn({ 'wait a moment': [{ text: 'Here', hang: 'after' }] })
  await using stream = await open(world(), { message: 'wait a moment', sessionId: newSessionId() })
  const beat = await stream.until('heartbeat')
  expect(beat).toMatchObject({ id: expect.stringMatching(/^evt_\d{13}_\d+$/), timestamp: beat.data['serverTime'] })
  expect(stream.raw.at(-1)).toBe(`event: heartbeat\ndata: ${JSON.stringify(beat)}\n\n`)
  await stream.all()
})

test('[S12] whoever waits for one answer has a place among the streams, until it is given', async () => {
  world().learn({ 'hold on': () => ({ text: 'Well', hang: 'after' }) })
  const ask = () => world().rest('POST', '/api/agent/chat', { body: { message: 'hold on' } })
  const all = await Promise.all([ask(), ask(), ask(), ask()])
  expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503])
  expect((await ask()).status).toBe(200)
})

test('[S12] [S2.1] streams beyond the limit are refused with 503, and nothing is stored; a place that is left is free', async () => {
  const sessionId = newSessionId()
  world().learn({ 'be quick': [{ text: 'Quick' }], 'not now': [{ text: 'Later' }] })
  await ask(world(), { message: 'be quick', sessionId })
  const path = `/api/agent/chat/stream?sessionId=${sessionId}`
  const streams = [
    await open(world(), null, { path }),
    await open(world(), null, { path }),
    await open(world(), null, { path }),
  ]
  for (const stream of streams) expect(stream.response.status).toBe(200)
  const unknown = newSessionId()
  const body = { message: 'be quick', sessionId: unknown }
  const refused = await world().rest('POST', '/api/agent/chat/stream', { body })
  expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'MAX_CONCURRENT_EXCEEDED' } }])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  const waiting = await world().rest('POST', '/api/agent/chat', { body })
  expect([waiting.status, waiting.body]).toMatchObject([503, { error: { code: 'MAX_CONCURRENT_EXCEEDED' } }])
  expect((await world().rest('GET', `/api/agent/sessions/${unknown}/messages`)).status).toBe(404)
  // Whoever does not wait takes no place.
  const headers = { prefer: 'respond-async' }
  const later = await world().rest('POST', '/api/agent/chat', { body: { ...body, message: 'not now' }, headers })
  expect(later.status).toBe(202)
  for (const stream of streams) await stream[Symbol.asyncDispose]()
  await expect.poll(async () => (await open(world(), body)).response.status).toBe(200)
})
