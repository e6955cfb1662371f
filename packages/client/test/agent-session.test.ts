import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { idle, nextOn, setUp, until } from './fast-client.ts'

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

test('[W10.5] a question waits in the state until it is answered', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('question')
  const { questions } = await until(session, ({ status }) => status === 'waiting_for_input')
  expect(questions).toMatchObject([{ tool_call_id: 'tc_ask', loop_id: 'root' }])
  await session.answer({ tool_call_id: 'tc_ask', selections: { 0: [0] }, custom: {} })
  const state = await until(session, ({ status }) => status === 'completed')
  expect(state.questions).toEqual([])
  expect(textOf(state.turns.at(-1)!)).toBe('部署到 staging。')
})

test('[W10.5] an answer that does not fit is refused before it is sent', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('question')
  await until(session, ({ questions }) => questions.length === 1)
  const answer = session.answer({ tool_call_id: 'tc_ask', selections: { 0: [7] }, custom: {} })
  await expect(answer).rejects.toMatchObject({
    code: 'invalid_answer',
    details: { errors: [{ question: 0, reason: 'option_out_of_range' }] },
  })
  expect(setup.server.commands.filter(({ name }) => name === 'chat:send')).toHaveLength(1)
})

test('[W10.7] a sub-agent’s question is found through its own call', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('sub-agent')
  const { questions, turns } = await until(session, ({ status }) => status === 'waiting_for_input')
  expect(questions).toMatchObject([{ tool_call_id: 'tc_ask', loop_id: 'agent:1f2e3d4c' }])
  expect(turns[1]?.tool_calls[0]).toMatchObject({
    status: 'awaiting_answer',
    pending_question_ref: { child_tool_call_id: 'tc_ask' },
  })
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
