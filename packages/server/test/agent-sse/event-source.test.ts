import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { expectGrammar } from './grammar.ts'
import { ask, newSessionId, open, textIn } from './sse.ts'

// Section 11: what an EventSource can do, which sends no body and reconnects by itself.

const world = sharedWorld()
const STREAM = '/api/agent/chat/stream'
const at = (query: Record<string, string>) => `${STREAM}?${new URLSearchParams(query).toString()}`

test('[S18.10] [S11.2] [S11] [S11.3] a message in the address runs once, however often it reconnects', async () => {
  world().learn({ 'by address': [{ text: 'Here it is.' }] })
  const path = at({ sessionId: newSessionId(), messageId: 'm1', message: 'by address' })
  await using stream = await open(world(), null, { path })
  const events = await stream.all()
  expectGrammar(events)
  expect(textIn(events)).toBe('Here it is.')
  await using again = await open(world(), null, { path, headers: { 'last-event-id': events.at(-1)!.id } })
  expect(again.response.status).toBe(204)
  await using fresh = await open(world(), null, { path })
  expect(await fresh.all()).toEqual(events)
  expect(world().requests('by address')).toHaveLength(1)
})

test('[S11] [S11.5] [S2.1] a message in the address needs its ids, and has a length', async () => {
  for (const query of [
    { message: 'a', sessionId: 's' },
    { message: 'a', messageId: 'm' },
    { message: 'x'.repeat(2_001), sessionId: 's', messageId: 'm' },
    { message: '', sessionId: 's', messageId: 'm' },
    { confirm: 'c:maybe', sessionId: 's', messageId: 'm' },
  ] as Record<string, string>[]) {
    const answer = await world().rest('GET', at(query))
    expect([query, answer.status, answer.body]).toMatchObject([query, 400, { error: { code: 'INVALID_REQUEST' } }])
  }
})

test('[S11] [S2] started in two steps: accepted first, then attached to', async () => {
  world().learn({ 'in two steps': [{ text: 'Step by step.' }] })
  const sessionId = newSessionId()
  const { status, body } = await world().rest('POST', '/api/agent/chat', {
    body: { message: 'in two steps', sessionId, messageId: 'm1' },
    headers: { prefer: 'respond-async' },
  })
  expect([status, body]).toEqual([202, { sessionId, messageId: 'm1', streamUrl: at({ sessionId, messageId: 'm1' }) }])
  await using stream = await open(world(), null, { path: body['streamUrl'] as string })
  expect(textIn(await stream.all())).toBe('Step by step.')
})

test('[S11] [S11.1] an observer begins with a beat, sees every run, stays, and resumes where it was', async () => {
  world().learn({ first: [{ text: 'One.' }], second: [{ text: 'Two.' }], third: [{ text: 'Three.' }] })
  const sessionId = newSessionId()
  await ask(world(), { message: 'first', sessionId })
  await using stream = await open(world(), null, { path: at({ sessionId }) })
  expect(await stream.next()).toMatchObject({ type: 'heartbeat', sessionId })
  const second = await ask(world(), { message: 'second', sessionId })
  await stream.until('completed')
  expect(stream.events.slice(1)).toEqual(second)
  const third = await ask(world(), { message: 'third', sessionId })
  await stream.until('completed')
  expect(stream.events.slice(1)).toEqual([...second, ...third])
  await using resumed = await open(world(), null, {
    path: at({ sessionId }),
    headers: { 'last-event-id': second[3]!.id },
  })
  await resumed.until('heartbeat')
  await resumed.until('completed')
  await resumed.until('completed')
  expect(resumed.events.slice(1)).toEqual([...second.slice(4), ...third])
})

test('[S11] an observer that comes in the middle of a run is told what comes', async () => {
  world().learn({ middle: [{ calls: [{ name: 'Work', arguments: { name: 'middle' } }] }, { text: 'End.' }] })
  const sessionId = newSessionId()
  await using sender = await open(world(), { message: 'middle', sessionId })
  await sender.until('tool_call_started')
  await using stream = await open(world(), null, { path: at({ sessionId }) })
  await stream.until('heartbeat')
  world().gates.open('middle')
  await stream.until('completed')
  expect(stream.events[1]).toMatchObject({ type: 'tool_call_completed' })
  expect(await sender.all()).toMatchObject([{ type: 'processing_started' }, {}, {}, {}, ...stream.events.slice(1)])
})

test('[S11] [SA15] without a name a page gets a session and a cookie, which its messages use', async () => {
  world().learn({ 'by cookie': [{ text: 'I know you.' }] })
  await using stream = await open(world(), null, {})
  const cookie = stream.response.headers.get('set-cookie')!
  expect(cookie).toMatch(/^agent_session=session_\w+; HttpOnly; SameSite=Lax; Path=\/api\/agent$/)
  const { sessionId } = (await stream.next())!
  const headers = { cookie: cookie.split(';')[0]! }
  const events = await ask(world(), { message: 'by cookie' }, { headers })
  expect(events[0]!.sessionId).toBe(sessionId)
  await stream.until('completed')
  await using again = await open(world(), null, { headers })
  expect((await again.next())!.sessionId).toBe(sessionId)
})

test('[S11.5] a link on some page sends no message in the name of who follows it', async () => {
  const link = await world().rest('GET', new URL(world().signInUrl).pathname + new URL(world().signInUrl).search, {
    token: null,
  })
  const cookie = link.headers.get('set-cookie')!.split(';')[0]!
  const path = at({ sessionId: newSessionId(), messageId: 'm1', message: 'do something' })
  const crossSite = { cookie, 'sec-fetch-site': 'cross-site' }
  const answer = await world().rest('GET', path, { token: null, headers: crossSite })
  expect([answer.status, answer.body]).toMatchObject([403, { error: { code: 'UNAUTHORIZED' } }])
  expect(world().requests('do something')).toHaveLength(0)
  const before = (await world().sessions()).length
  const unnamed = await world().rest('GET', STREAM, {
    token: null,
    headers: crossSite,
    signal: AbortSignal.timeout(5_000),
  })
  expect([unnamed.status, unnamed.headers.get('set-cookie')]).toEqual([403, null])
  expect((await world().sessions()).length).toBe(before)
  await using own = await open(world(), null, { token: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  expect(own.response.status).toBe(200)
})
