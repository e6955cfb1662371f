import { emptyProjection, type PatchMode, type TurnProjection } from '@parley/protocol'
import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check'
import { expect, test } from 'vitest'
import { pruneEvents } from '../../src/store/prune.ts'
import type { Received } from './client.ts'
import { type Face, openFace } from './face.ts'
import type { ScriptedRun } from './scripted-run.ts'

const MODES: PatchMode[] = ['compat', 'delta', 'sync']

async function startRun(face: Face): Promise<ScriptedRun> {
  const { session_id } = face
  await face
    .request('POST', `/api/sessions/${session_id}/chat?patch_mode=delta`, {
      body: { message: 'hi', headless: false, client_message_id: 'one' },
      headers: { accept: 'text/event-stream' },
    })
    .then((response) => response.body?.cancel())
  return face.sessions.nextRun()
}

test.each(MODES)(
  '[WR-52] %s: who comes in the middle of a run gets the state so far, then goes on without a gap',
  async (patch_mode) => {
    await using face = await openFace()
    const { session_id } = face
    const run = await startRun(face)
    await run.startTurn('turn_1', 0)
    await run.say('turn_1', 'Hello', ' wor')
    await run.startTurn('turn_2', 1, { loop_id: 'agent:1', parent_fork_tool_call_id: 'tc_1' })
    await using client = await face.connect()
    const ack = await client.ask('session:subscribe', { session_id, patch_mode })
    expect(client.received).toMatchObject([
      { name: 'chat:start', payload: { session_id, run_id: run.run_id, replayed: true } },
      {
        name: 'turn:start',
        payload: {
          turn_id: 'turn_1',
          status: 'streaming',
          patch_sequence: 2,
          replayed: true,
          blocks: [{ content: 'Hello wor' }],
          solution_id: null,
        },
      },
      { name: 'turn:start', payload: { turn_id: 'turn_2', replayed: true, blocks: [] } },
    ])
    expect(ack).toMatchObject({
      run_id: run.run_id,
      replayed: false,
      event_seq: client.received[0]!.payload['event_seq'],
    })
    await run.say('turn_1', 'ld')
    await run.endTurn('turn_1')
    await run.end()
    await client.until('chat:end')
    expect(client.fold().turns[0]).toMatchObject({ status: 'completed', blocks: [{ content: 'Hello world' }] })
    expect(client.fold().needsResync).toBe(false)
  },
)

test('[W2.3] who comes when nothing runs gets nothing', async () => {
  await using face = await openFace()
  const run = await startRun(face)
  await run.startTurn('turn_1', 0)
  await run.endTurn('turn_1')
  await run.end()
  await using client = await face.connect()
  const ack = await client.ask('session:subscribe', { session_id: face.session_id })
  expect(ack).toMatchObject({ run_id: null, replayed: false, session: { status: 'completed' } })
  expect(client.received).toEqual([])
})

test('[W2.3] with since, exactly the missed events come, in order, before the acknowledgement', async () => {
  await using face = await openFace()
  const { session_id } = face
  const run = await startRun(face)
  await run.startTurn('turn_1', 0)
  await run.say('turn_1', 'a', 'b', 'c')
  await using client = await face.connect()
  let atAck = -1
  const acked = new Promise<Record<string, unknown>>((resolve) =>
    client.socket.emit('session:subscribe', { session_id, since: 4 }, (ack: Record<string, unknown>) => {
      atAck = client.received.length
      resolve(ack)
    }),
  )
  expect(await acked).toMatchObject({ replayed: true, run_id: run.run_id, event_seq: 6 })
  expect(atAck).toBe(2)
  expect(client.received).toMatchObject([
    { name: 'turn:patch', payload: { event_seq: 5, sequence: 2, data: { text_delta: 'b' } } },
    { name: 'turn:patch', payload: { event_seq: 6, sequence: 3, data: { text_delta: 'c' } } },
  ])
})

test.each([
  ['above the head', 99],
  ['pruned', 1],
])('[W2.3] a since that is %s falls back to the picture and says so', async (_what, since) => {
  await using face = await openFace()
  const { session_id } = face
  const first = await startRun(face)
  await first.startTurn('turn_0', 0)
  await first.endTurn('turn_0')
  await first.end()
  await face.engine.write(() => pruneEvents(session_id, Date.now() + 1_000))
  await using sender = await face.connect()
  await sender.ask('chat:send', { session_id, message: 'again' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 1)
  await using client = await face.connect()
  expect(await client.ask('session:subscribe', { session_id, since })).toMatchObject({ status: 'ok', replayed: false })
  expect(client.received).toMatchObject([
    { name: 'chat:start', payload: { replayed: true } },
    { name: 'turn:start', payload: { turn_id: 'turn_1', replayed: true } },
  ])
})

test('[W2.3] resync catches up again although the socket follows already', async () => {
  await using face = await openFace()
  const { session_id } = face
  await using client = await face.connect()
  await client.ask('chat:send', { session_id, message: 'hi' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  await run.say('turn_1', 'abc')
  await client.until('turn:patch')
  await client.ask('session:subscribe', { session_id, resync: true })
  expect(client.received.slice(-2)).toMatchObject([
    { name: 'chat:start', payload: { replayed: true } },
    { name: 'turn:start', payload: { replayed: true, blocks: [{ content: 'abc' }] } },
  ])
  await run.end()
  await client.until('chat:end')
  expect(client.names().filter((name) => name === 'chat:end')).toHaveLength(1)
})

test('events that happen during a catch-up never overtake it', async () => {
  await using face = await openFace()
  const { session_id } = face
  const run = await startRun(face)
  await run.startTurn('turn_1', 0)
  for (let i = 0; i < 300; i++) await run.say('turn_1', '.')
  await using client = await face.connect()
  client.socket.emit('session:subscribe', { session_id, since: 0, patch_mode: 'delta' })
  for (let i = 0; i < 300; i++) await run.say('turn_1', '!')
  await run.endTurn('turn_1')
  await run.end()
  await client.until('chat:end')
  const numbers = client.received.map(({ payload }) => payload['event_seq'] as number)
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(client.fold()).toMatchObject({
    needsResync: false,
    turns: [{ blocks: [{ content: '.'.repeat(300) + '!'.repeat(300) }] }],
  })
})

test.each(MODES)('[W2.5] %s: a paused turn that goes on in a later run is patched by its id', async (patch_mode) => {
  await using face = await openFace()
  const { session_id } = face
  await using watcher = await face.connect({ auth: { patch_mode } })
  await watcher.ask('session:subscribe', { session_id })
  const first = await startRun(face)
  await first.startTurn('turn_1', 0)
  await first.patch('turn_1', {
    patch_type: 'add_tool_call',
    data: { id: 'tc_1', tool_name: 'AskUserQuestion', display_name: 'Ask', arguments: '{}', status: 'awaiting_answer' },
  })
  await first.endTurn('turn_1', 'paused')
  await first.end({ session_status: 'waiting_for_input' })
  await using late = await face.connect({ auth: { patch_mode } })
  await late.ask('session:subscribe', { session_id })
  await watcher.ask('chat:send', { session_id, message: '' })
  const second = await face.sessions.nextRun()
  const resumed = Object.assign(second, { turn: first.turn.bind(first), patched: first.patched.bind(first) })
  await resumed.append([
    first.patched('turn_1', {
      patch_type: 'tool_result',
      data: { tool_call_id: 'tc_1', result: 'yes', status: 'done', duration_ms: 1 },
    }),
  ])
  await resumed.append([first.patched('turn_1', { patch_type: 'set_status', data: { status: 'completed' } })])
  await second.end()
  const isLastEnd = ({ name, payload }: Received) => name === 'chat:end' && payload['run_id'] === second.run_id
  await Promise.all([watcher.until(isLastEnd), late.until(isLastEnd)])
  expect(watcher.fold().turns[0]).toEqual(first.turn('turn_1'))
  const patches = late.received.filter(({ name }) => name === 'turn:patch')
  expect(patches.map(({ payload }) => payload['patch_type'])).toEqual(
    patch_mode === 'sync' ? ['sync', 'sync'] : ['tool_result', 'set_status'],
  )
  if (patch_mode !== 'delta') expect(late.fold().turns[0]).toEqual(first.turn('turn_1'))
})

test('[W10.15] killing the socket anywhere, in any mode, with or without since, ends in the state that REST has', async () => {
  await using face = await openFace()
  const cuts = array(
    record({ after: integer({ min: 1, max: 25 }), usesSince: boolean(), mode: constantFrom(...MODES) }),
    { minLength: 1, maxLength: 4 },
  )
  await assert(
    asyncProperty(cuts, async (connections) => {
      const { id: session_id } = await face.sessions.create({ user_id: face.auth.owner_id }, {})
      await face.sessions.send({ user_id: face.auth.owner_id }, { session_id, client_message_id: null } as never)
      const run = await face.sessions.nextRun()
      const script = conversation(run)
      let known = emptyProjection
      for (const { after, usesSince, mode } of connections) {
        await using client = await face.connect()
        await client.ask('session:subscribe', {
          session_id,
          patch_mode: mode,
          ...(usesSince && known.event_seq > 0 ? { since: known.event_seq } : {}),
        })
        for (let step = 0; step < after; step++) await script.next()
        known = { ...client.fold(known), needsResync: false }
      }
      await using last = await face.connect()
      await last.ask('session:subscribe', { session_id, since: known.event_seq, patch_mode: 'delta' })
      while (!(await script.next()).done);
      const { head } = await face.journal.snapshot(session_id)
      if (known.event_seq < head) await last.until(({ payload }) => payload['event_seq'] === head)
      const stored = (await (
        await face.request('GET', `/api/sessions/${session_id}/messages`)
      ).json()) as TurnProjection[]
      const folded = last.fold(known)
      expect(folded.turns.at(-1)).toEqual(stored.at(-1))
      expect(folded).toMatchObject({ needsResync: false, run_id: null, event_seq: head })
    }),
    { numRuns: 40 },
  )
})

/** A run of two turns, one step at a time. */
async function* conversation(run: ScriptedRun): AsyncGenerator<void> {
  await run.startTurn('turn_1', 0)
  yield
  for (let i = 0; i < 20; i++) {
    await run.say('turn_1', `word${i} `, 'and ')
    yield
  }
  await run.patch('turn_1', {
    patch_type: 'add_tool_call',
    data: { id: 'tc_1', tool_name: 'Bash', display_name: 'Run', arguments: '{}', status: 'pending' },
  })
  yield
  await run.patch('turn_1', {
    patch_type: 'tool_result',
    data: { tool_call_id: 'tc_1', result: 'ok', status: 'done', duration_ms: 1 },
  })
  yield
  await run.endTurn('turn_1')
  yield
  await run.startTurn('turn_2', 1)
  for (let i = 0; i < 20; i++) {
    await run.say('turn_2', `more${i} `)
    yield
  }
  await run.endTurn('turn_2')
  await run.end()
}
