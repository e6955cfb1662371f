import { expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import { pruneEvents } from '../../src/store/prune.ts'
import { World } from '../wire/world.ts'
import { ask, type Frame, inShort, newSessionId, open, pendingIn, textIn } from './sse.ts'

// Section 10, on two instances with one database.

const STREAM = '/api/agent/chat/stream'
const rules = [{ tool: 'Bash', decision: 'ask' as const }]
const policy = { rules, headless: 'fail' as const, confirmationMinutes: 15 }

async function twoInstances() {
  await using parts = new AsyncDisposableStack()
  const one = parts.use(await World.open('postgres', { policy }))
  const { databaseUrl, dataDir } = one
  const two = parts.use(await World.open('sqlite', { policy, databaseUrl: databaseUrl!, dataDir }))
  const moved = parts.move()
  return { one, two, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

const by = (event: Frame) => ({ headers: { 'last-event-id': event.id } })

test('[S18.9] [SA13] [SA14] [S10.1] [S10.2] [S10.3] [S10.4] [S10.5] cut after every single event, resumed elsewhere: nothing is missing or told twice', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  one.learn({
    'look and tell': [{ calls: [{ name: 'Work', arguments: { name: 'cut' } }] }, { text: 'I looked at it.' }],
  })
  one.gates.open('cut', 'five')
  const sessionId = newSessionId()
  const body = { message: 'look and tell', sessionId, messageId: 'm1' }
  const whole = await ask(one, body)
  expect(await ask(two, body)).toEqual(whole)
  for (const [index, event] of whole.entries()) {
    const rest = whole.slice(index + 1)
    await using again = await open(two, body, by(event))
    await using attached = await open(two, null, {
      path: `${STREAM}?sessionId=${sessionId}&messageId=m1`,
      ...by(event),
    })
    await using query = await open(two, null, {
      path: `${STREAM}?sessionId=${sessionId}&messageId=m1&lastEventId=${event.id}`,
    })
    for (const stream of [again, attached, query]) {
      expect([index, stream.response.status]).toEqual([index, rest.length === 0 ? 204 : 200])
      if (rest.length > 0) expect(await stream.all()).toEqual(rest)
    }
  }
  expect(one.requests('look and tell')).toHaveLength(2)
})

test('[S10.3] [SA22] [S10.8] a run under way is resumed live, by as many as want to', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  one.learn({
    'take your time': [{ calls: [{ name: 'Work', arguments: { name: 'live' } }] }, { text: 'Done at last.' }],
  })
  const sessionId = newSessionId()
  const body = { message: 'take your time', sessionId, messageId: 'm1' }
  await using first = await open(one, body)
  const started = await first.until('tool_call_started')
  first.hangUp()
  await using second = await open(two, body, by(started))
  await using third = await open(two, null, { path: `${STREAM}?sessionId=${sessionId}&messageId=m1` })
  one.gates.open('live')
  const rest = await second.all()
  expect(inShort(rest)[0]).toBe('tool_call_completed')
  expect(textIn(rest)).toBe('Done at last.')
  expect(await third.all()).toEqual([...first.events, ...rest])
})

test('[S18.8] [S8.5.2] [S9] a confirmation raised on one instance is answered through the other', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  const bash = { name: 'Bash', arguments: { command: 'rm it' } }
  one.learn({ 'delete it': [{ calls: [bash] }, { text: 'Deleted.' }] })
  two.learn({ 'delete it': [{ calls: [bash] }, { text: 'Deleted.' }] })
  const sessionId = newSessionId()
  const pendingConfirmation = pendingIn(await ask(one, { message: 'delete it', sessionId }))
  await one.stop()
  const shown = await two.rest('GET', `/api/agent/sessions/${sessionId}/confirmation`)
  expect(shown.body).toMatchObject({ pendingConfirmation: { confirmationId: pendingConfirmation.confirmationId } })
  const events = await ask(two, { message: 'ok', sessionId, pendingConfirmation })
  expect(textIn(events)).toBe('Deleted.')
})

test('[S12] a run is cancelled from any instance', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  one.learn({ 'go on for ever': [{ text: 'Well', hang: 'after' }] })
  const sessionId = newSessionId()
  await using stream = await open(one, { message: 'go on for ever', sessionId })
  await stream.until('content_chunk')
  expect((await two.rest('POST', '/api/agent/chat/cancel', { body: { sessionId } })).status).toBe(202)
  expect((await stream.all()).at(-1)).toMatchObject({ type: 'cancelled', data: { reason: 'user_cancelled' } })
})

test('[S10.6] [S2.1] ids that nobody was given are refused, whoever asks', async () => {
  await using world = await World.open()
  world.learn({ hello: [{ text: 'Hello' }, { text: 'again' }], 'hello again': [{ text: 'Hello again' }] })
  const sessionId = newSessionId()
  const body = { message: 'hello', sessionId, messageId: 'm1' }
  const events = await ask(world, body)
  const other = await ask(world, { message: 'hello again', sessionId, messageId: 'm2' })
  const [, at, number] = events[0]!.id.split('_')
  const wrong = [
    'nonsense',
    'evt_1_1',
    `evt_${Number(at) + 1}_${number}`,
    `evt_${at}_999999`,
    other[0]!.id,
    `evt_${at}_0`,
  ]
  for (const id of wrong) {
    const { status, body: told } = await world.rest('POST', STREAM, { body, headers: { 'last-event-id': id } })
    expect([id, status, told]).toMatchObject([id, 400, { error: { code: 'INVALID_REQUEST' } }])
  }
  const query = `?sessionId=${sessionId}&messageId=m1`
  expect((await world.rest('GET', STREAM + query, { token: world.strangersKey })).status).toBe(404)
  expect((await world.rest('GET', `${STREAM}?sessionId=${sessionId}&messageId=m3`)).status).toBe(404)
  expect(world.requests('hello')).toHaveLength(1)
  // What is refused for its place is not sent either, in this session or in a new one.
  for (const named of [sessionId, newSessionId()])
    for (const id of ['nonsense', events[0]!.id]) {
      const query = new URLSearchParams({ message: 'never said', sessionId: named, messageId: 'm4' }).toString()
      const headers = { 'last-event-id': id }
      expect((await world.rest('GET', `${STREAM}?${query}`, { headers })).status).toBe(400)
      const never = { message: 'never said', sessionId: named, messageId: 'm4' }
      expect((await world.rest('POST', STREAM, { body: never, headers })).status).toBe(400)
    }
  expect(await world.sessions()).toHaveLength(1)
  expect(JSON.stringify(await world.messages((await world.sessions())[0]!.id))).not.toContain('never said')
})

test('[S10.6] [S10.7] a run whose text was forgotten is gone for resumption, and never run again', async () => {
  await using world = await World.open('postgres')
  world.learn({ 'long ago': [{ text: 'It was so.' }] })
  const sessionId = newSessionId()
  const body = { message: 'long ago', sessionId, messageId: 'm1' }
  const events = await ask(world, body)
  await forget(world)
  for (const headers of [{}, { 'last-event-id': events[3]!.id }]) {
    const answer = await world.rest('POST', STREAM, { body, headers })
    expect([answer.status, answer.body]).toMatchObject([410, { error: { code: 'RESUME_EXPIRED' } }])
  }
  const read = await world.rest<{ messages: object[] }>('GET', `/api/agent/sessions/${sessionId}/messages`)
  expect(read.body.messages).toMatchObject([
    { id: 'm1', role: 'user', content: 'long ago' },
    { role: 'assistant', content: 'It was so.', responseType: 'execute' },
  ])
  expect(world.requests('long ago')).toHaveLength(1)
})

/** As the janitor does after some time. */
async function forget(world: World): Promise<void> {
  await using engine = await openStore(withDefaults({ databaseUrl: world.databaseUrl!, dataDir: world.dataDir }))
  for (const { id } of await world.sessions()) await engine.write(() => pruneEvents(id, Number.MAX_SAFE_INTEGER))
}
