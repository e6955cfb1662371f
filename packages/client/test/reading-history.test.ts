import { expect, test } from 'vitest'
import { idle, nextOn, setUp, until } from './fast-client.ts'

test('a session opened in the middle of a run has everything said so far', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  scripted.begin()
  const script = setup.server.scripts['stop']!(scripted, { message: 'early' })
  using session = setup.client.sessions.connect(scripted.id)
  const state = await until(session, ({ turns }) => turns.length === 2)
  expect(state).toMatchObject({ isStreaming: true, runId: 'chat_1' })
  await session.ready()
  await session.stop()
  await script
  await until(session, idle)
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('[W10.15] an event that arrives while the history is on its way is not lost', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const turn = await scripted.assistant()
  await turn.say('one ')
  server.routes[`GET /api/sessions/${scripted.id}/messages`] = async () => {
    const body = structuredClone(scripted.projection.turns)
    const arrived = nextOn(client, 'turn:patch')
    await turn.say('two')
    await arrived
    return { status: 200, body }
  }
  using session = client.sessions.connect(scripted.id)
  await session.ready()
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('a long session opens with its last turns and reads earlier ones on request', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  for (let turn = 0; turn < 20; turn += 1) await scripted.user(`message ${turn}`)
  using session = setup.client.sessions.connect(scripted.id, { limit: 5 })
  await session.ready()
  expect(session.getState().turns.map(({ sequence }) => sequence)).toEqual([15, 16, 17, 18, 19])
  expect(session.getState().hasOlder).toBe(true)
  await session.loadOlder(10)
  expect(session.getState()).toMatchObject({ hasOlder: true, turns: { length: 15 } })
  await session.loadOlder(10)
  expect(session.getState().hasOlder).toBe(false)
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('who wants the whole history gets it, also when another handle wanted less', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  for (let turn = 0; turn < 5; turn += 1) await scripted.user(`message ${turn}`)
  using few = setup.client.sessions.connect(scripted.id, { limit: 1 })
  await few.ready()
  using all = setup.client.sessions.connect(scripted.id)
  expect(await until(all, ({ isReady }) => isReady)).toMatchObject({ turns: { length: 5 }, hasOlder: false })
})

const liked = { value: 'like', comment: null, user_id: 'user_1', updated_at: '2026-01-01T00:00:00Z' }

test('[W6.11] feedback that is told while the turns are being read is not lost, whoever reads them', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.send('hello')
  await until(session, (state) => idle(state) && state.turns.length === 2)
  const { turn_id } = session.getState().turns[1]!
  const feedback = () => session.getState().turns[1]!.feedback ?? null
  const scripted = server.session(session.id)
  const told: unknown[] = []
  session.on('feedback:given', ({ value }) => told.push(value))
  for (const value of ['like', null]) {
    server.routes[`GET /api/sessions/${session.id}/messages`] = async () => {
      const body = structuredClone(scripted.projection.turns)
      const arrived = nextOn(client, 'feedback:given')
      await scripted.emit('feedback:given', { turn_id, ...liked, value })
      await arrived
      return { status: 200, body }
    }
    await client.sessions.getSessionTurns(session.id)
    expect(feedback()).toEqual(value && liked)
  }
  expect(told).toEqual(['like', null])
})

test('[W6.11] [W10.15] feedback that was given out of sight comes with the history, also when its event is no longer held', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.send('hello')
  await until(session, (state) => idle(state) && state.turns.length === 2)
  const scripted = server.session(session.id)
  const { turn_id } = session.getState().turns[1]!
  for (const isHeld of [true, false]) {
    const value = isHeld ? 'like' : 'dislike'
    server.cut()
    await until(session, ({ connection }) => connection !== 'connected')
    await scripted.emit('feedback:given', { turn_id, ...liked, value })
    if (!isHeld) scripted.floor = scripted.head
    await until(session, ({ turns }) => turns[1]!.feedback?.value === value)
  }
})
