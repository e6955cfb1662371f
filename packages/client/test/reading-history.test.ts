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
