import { expect, test } from 'vitest'
import { idle, nextOn, setUp, until } from './fast-client.ts'
import { long } from './scripts.ts'

/** A small deterministic source of randomness, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('[W10.15] after 100 random cuts the folded state equals the server’s, and no event was lost or told twice', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  server.scripts['long'] = long(60)
  using session = await client.sessions.create()
  await session.ready()
  const told: number[] = []
  const heard: number[] = []
  for (const name of ['chat:start', 'turn:start', 'turn:patch', 'turn:end', 'chat:end'] as const) {
    session.on(name, ({ event_seq }) => told.push(event_seq))
    client.socket().on(name, (payload: { event_seq: number }) => heard.push(payload.event_seq))
  }

  const scripted = server.session(session.id)
  const next = random(20_261_115)
  const cuts: number[] = []
  scripted.afterEvent = () => {
    if (server.connections() === 0 || next() > 0.4) return
    cuts.push(scripted.head)
    server.cut()
  }
  while (cuts.length < 100) {
    await session.send('long')
    const { head } = scripted
    await until(session, (state) => idle(state) && scripted.run_id === null && told.at(-1)! >= head)
  }
  scripted.afterEvent = () => {}
  await until(session, (state) => idle(state) && told.at(-1) === scripted.head)

  expect(session.getState().turns).toEqual(scripted.projection.turns)
  const all = scripted.journal.map(({ payload }) => payload.event_seq)
  expect(told).toEqual(all)
  expect(heard).toEqual(all)
})

test('[W14.2] on reconnect the sessions are subscribed again, with the number of the last event', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.send('hello')
  await until(session, (state) => idle(state) && state.turns.length === 2)
  server.cut()
  await until(session, ({ connection }) => connection === 'reconnecting')
  await until(session, ({ connection, isReady }) => connection === 'connected' && isReady)
  const subscriptions = server.commands.filter(({ name }) => name === 'session:subscribe')
  expect(subscriptions.map(({ payload }) => payload)).toMatchObject([
    { patch_mode: 'delta', since: null },
    { patch_mode: 'delta', since: server.session(session.id).head },
  ])
})

test('[W10.15] a catch-up that repeats events already seen tells none of them twice', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  const scripted = server.session(session.id)
  scripted.overlap = 4
  const told: number[] = []
  session.on('turn:patch', ({ event_seq }) => told.push(event_seq))
  await session.send('hello')
  await until(session, idle)
  server.cut()
  await until(session, ({ connection }) => connection === 'reconnecting')
  await session.ready()
  expect(told).toEqual([...new Set(told)])
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('[W10.15] when the events are no longer held, the history is read and replaces what was known', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.send('stop')
  await until(session, ({ turns }) => turns.length === 2)
  const scripted = server.session(session.id)
  const ends: unknown[] = []
  session.on('chat:end', (end) => ends.push(end))

  server.cut()
  await until(session, ({ connection }) => connection === 'reconnecting')
  // Everything else of the run happens unseen, and is forgotten.
  scripted.stop()
  await until(session, ({ connection }) => connection === 'connected')
  scripted.floor = scripted.head
  server.cut()
  await until(session, (state) => idle(state) && state.status === 'interrupted')
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('[W10.15] a run that ended out of sight still ends for its listeners, on the session and on the socket', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  client.socket().emit('session:subscribe', { session_id: session.id })
  await session.send('stop')
  await until(session, ({ turns }) => turns.length === 2)
  const scripted = server.session(session.id)
  const onSession = new Promise((resolve) => session.on('chat:end', resolve))
  const onSocket = nextOn(client, 'chat:end')

  scripted.readers.clear() // nothing reaches the client any more
  scripted.stop()
  while (scripted.run_id) await new Promise(setImmediate)
  scripted.floor = scripted.head
  server.cut()
  expect(await onSession).toMatchObject({ status: 'interrupted', run_id: 'chat_1' })
  expect(await onSocket).toMatchObject({ status: 'interrupted', run_id: 'chat_1' })
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('[W10.15] a run that began and ended out of sight, before its first event, is not missing afterwards', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.scripts['quiet'] = async (...args) => {
    await promise
    await server.scripts['default']!(...args)
  }
  // The message subscribes the socket, so the session is followed without a subscription of ours.
  await client.socket().emitWithAck('chat:send', { session_id: scripted.id, message: 'quiet' })
  using session = client.sessions.connect(scripted.id)
  await session.ready()
  scripted.readers.clear() // nothing reaches the client any more
  resolve()
  while (scripted.run_id) await new Promise(setImmediate)
  server.cut()
  await until(session, ({ connection }) => connection === 'reconnecting')
  await session.ready()
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})

test('[W8] a missed patch is noticed by its number and healed from the history', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.send('stop')
  await until(session, ({ turns }) => turns.length === 2)
  const scripted = server.session(session.id)
  const readers = [...scripted.readers]
  scripted.readers.clear()
  await scripted.patch('turn_1', 'add_content', { type: 'text', text_delta: 'missed ' })
  for (const [socket, mode] of readers) scripted.readers.set(socket, mode)
  await scripted.patch('turn_1', 'add_content', { type: 'text', text_delta: 'seen' })
  const healed = await until(session, ({ turns }) => turns[1]?.patch_sequence === 3)
  expect(healed.turns).toEqual(scripted.projection.turns)
  await session.stop()
  await until(session, idle)
})

test('[W8] a patch for a turn before the window makes the whole history be read', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const early = await scripted.assistant()
  await early.ask('tc_1', {})
  await early.end('paused')
  for (let turn = 0; turn < 10; turn += 1) await scripted.user(`message ${turn}`)
  using session = client.sessions.connect(scripted.id, { limit: 2 })
  await session.ready()
  await early.result('tc_1', 'late', 'done')
  await until(session, ({ turns }) => turns.length === 11)
  expect(session.getState().turns).toEqual(scripted.projection.turns)
})
