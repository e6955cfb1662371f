import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { idle, setUp, until } from './fast-client.ts'

test('[W10.1] a sent message comes back as turns, and the state says when it is over', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create({ intent: 'geography' })
  await session.ready()
  await session.send('法国的首都是哪里?')
  await until(session, ({ turns }) => turns.length === 2)
  const state = await until(session, idle)
  expect(state.turns.map(textOf)).toEqual(['法国的首都是哪里?', '法国的首都是巴黎。'])
  expect(state).toMatchObject({ status: 'completed', runId: null, isStreaming: false, connection: 'connected' })
})

test('[W5.3] the run is in the state as soon as the message is accepted, before its first event', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.ready()
  const { promise, resolve } = Promise.withResolvers<void>()
  setup.server.scripts['hello'] = async (...args) => {
    await promise
    await setup.server.scripts['default']!(...args)
  }
  const { run_id } = await session.send('hello')
  expect(session.getState()).toMatchObject({ isStreaming: true, runId: run_id, turns: [] })
  resolve()
  expect(await until(session, idle)).toMatchObject({ turns: { length: 2 } })
})

test('[W10.2] thinking, tool calls and results are folded like the server folds them', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('tool')
  await until(session, ({ turns }) => turns.length === 3)
  const { turns } = await until(session, idle)
  expect(turns).toEqual(setup.server.session(session.id).projection.turns)
  expect(turns[1]).toMatchObject({ tool_calls: [{ status: 'done', result: 'total 48' }] })
})

test('[W10.8] stop ends the run and keeps the text', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('stop')
  const { runId } = await until(session, ({ turns }) => turns[1] !== undefined && textOf(turns[1]) === '…')
  await session.stop()
  const { status, turns } = await until(session, idle)
  expect([status, turns[1]?.status, textOf(turns.at(1)!)]).toEqual(['interrupted', 'interrupted', '…'])
  expect(setup.server.commands.at(-1)).toEqual({
    name: 'chat:stop',
    payload: { session_id: session.id, run_id: runId },
  })
})

test('[W10.8] a stop reaches the server also when the session is disposed of right after it', async () => {
  await using setup = await setUp()
  const session = await setup.client.sessions.create()
  await session.send('stop')
  await until(session, ({ turns }) => turns.length === 2)
  const stopped = session.stop()
  session.dispose()
  await stopped
  expect(setup.server.commands.map(({ name }) => name)).toContain('chat:stop')
})

test('[W5.6] append adds a message to the run under way, and is refused when nothing runs', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await expect(session.append('too early')).rejects.toMatchObject({ code: 'not_running' })
  await session.send('stop')
  await until(session, ({ turns }) => turns.length === 2)
  await session.append('one more thing')
  await until(session, ({ turns }) => turns.length === 3)
  await session.stop()
  await until(session, idle)
})

test('[WR-37] a message during a run is refused with session_busy', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('stop')
  await expect(session.send('again')).rejects.toMatchObject({ code: 'session_busy' })
})

test('[W10.9] a failed run leaves its reason in the state until the next one starts', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('fail')
  const { errorMessage } = await until(session, ({ status }) => status === 'failed')
  expect(errorMessage).toBe('The provider hung up.')
  await session.send('again')
  expect(await until(session, ({ status }) => status === 'completed')).toMatchObject({ errorMessage: null })
})

test('the state is the same object until something changes, and so is what did not change in it', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('first')
  const before = await until(session, ({ status, turns }) => status === 'completed' && turns.length === 2)
  expect(session.getState()).toBe(before)
  await session.send('second')
  const after = await until(session, ({ status, turns }) => status === 'completed' && turns.length === 4)
  expect(after).not.toBe(before)
  expect(after.turns[0]).toBe(before.turns[0])
  expect(after.turns[1]).toBe(before.turns[1])
  expect(after.questions).toBe(before.questions)
})

test('every event is told once, by its wire name, until the listener is taken back', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.ready()
  const seen: string[] = []
  session.on('turn:patch', ({ patch_type }) => seen.push(patch_type))
  const off = session.on('chat:start', () => seen.push('chat:start'))
  off()
  const ended = new Promise((resolve) => session.on('chat:end', resolve))
  await session.send('hello')
  expect(await ended).toMatchObject({ status: 'completed' })
  expect(seen).toEqual(['add_content', 'add_content', 'add_content'])
})

test('two handles on one session share a subscription; the second lives on when the first is disposed of', async () => {
  await using setup = await setUp()
  const first = await setup.client.sessions.create()
  using second = setup.client.sessions.connect(first.id)
  await second.ready()
  first.dispose()
  await second.send('still here')
  await until(second, ({ turns }) => turns.length === 2)
  await until(second, idle)
  const subscriptions = setup.server.commands.filter(({ name }) => name.startsWith('session:'))
  expect(subscriptions.map(({ name }) => name)).toEqual(['session:subscribe'])
})

test('a session that does not exist is reported, not waited for', async () => {
  await using setup = await setUp()
  using session = setup.client.sessions.connect('sess_nowhere')
  await expect(session.ready()).rejects.toMatchObject({ code: 'session_not_found' })
  expect(session.getState()).toMatchObject({ isReady: false, errorMessage: 'No such session.' })
})

test('a deleted session says so', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.ready()
  await setup.server.session(session.id).emit('session:deleted', {})
  expect(await until(session, ({ isDeleted }) => isDeleted)).toMatchObject({ isReady: false })
})
