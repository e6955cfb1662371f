import type { TurnProjection } from '@parley/protocol'
import { expect, test } from 'vitest'
import { pruneEvents } from '../../src/store/prune.ts'
import { shownOf } from '../../src/faces/native/encodings/shown.ts'
import { Journal, type FollowOptions } from '../../src/store/journal.ts'
import type { StoredEvent } from '../../src/store/work.ts'
import type { Client } from './client.ts'
import { type Face, openFace } from './face.ts'
import type { ScriptedRun } from './scripted-run.ts'

async function runFor(face: Face, ...clients: Client[]): Promise<ScriptedRun> {
  for (const client of clients) await client.ask('session:subscribe', { session_id: face.session_id })
  await clients[0]!.ask('chat:send', { session_id: face.session_id, message: 'hi' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  return run
}

async function finish(run: ScriptedRun, ...clients: Client[]): Promise<void> {
  await run.endTurn('turn_1')
  await run.end()
  await Promise.all(clients.map((client) => client.until('chat:end')))
}

const patches = (client: Client) =>
  client.received.filter(({ name }) => name === 'turn:patch').map(({ payload }) => payload)

test('[W2.6] compat: small blocks carry content with every increment, and it is what was said so far', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const run = await runFor(face, client)
  for (const word of ['Paris ', 'is ', 'big.']) await run.say('turn_1', word)
  await finish(run, client)
  expect(patches(client).map(({ data }) => (data as { content: string }).content)).toEqual([
    'Paris ',
    'Paris is ',
    'Paris is big.',
  ])
  const first = patches(client)[0] as { data: { turn: TurnProjection } }
  expect(first.data.turn).toMatchObject({ turn_id: 'turn_1', patch_sequence: 1, blocks: [{ content: 'Paris ' }] })
})

test('[W2.6] compat: a patch that is not text always carries the turn after it', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const run = await runFor(face, client)
  await run.patch('turn_1', {
    patch_type: 'add_tool_call',
    data: { id: 'tc_1', tool_name: 'Bash', display_name: 'Run', arguments: '{"a":1}', status: 'pending' },
  })
  await run.patch('turn_1', {
    patch_type: 'tool_result',
    data: { tool_call_id: 'tc_1', result: 'ok', status: 'done', duration_ms: 3 },
  })
  const expected = run.turn('turn_1')
  await finish(run, client)
  expect(patches(client).map(({ data }) => (data as { turn: TurnProjection }).turn.tool_calls[0]!.status)).toEqual([
    'pending',
    'done',
  ])
  expect((patches(client)[1] as { data: { turn: TurnProjection } }).data.turn).toEqual(expected)
})

test('[W2.6] sync: only snapshots, at most one per 100 ms for text, and the last one is not lost', async () => {
  await using face = await openFace()
  await using client = await face.connect({ auth: { patch_mode: 'sync' } })
  const run = await runFor(face, client)
  for (let i = 0; i < 10; i++) await run.say('turn_1', `${i}`)
  const whole = await client.until(
    ({ payload }) => (payload['data'] as { turn: TurnProjection } | undefined)?.turn?.patch_sequence === 10,
  )
  expect(whole.payload).toMatchObject({
    patch_type: 'sync',
    sequence: 10,
    data: { turn: { blocks: [{ content: '0123456789' }] } },
  })
  expect(new Set(patches(client).map(({ patch_type }) => patch_type))).toEqual(new Set(['sync']))
  expect(patches(client).length).toBeLessThan(10)
  await finish(run, client)
})

test('[W2.6] the connection’s patch mode holds where a subscription names none', async () => {
  await using face = await openFace()
  await using client = await face.connect({ auth: { patch_mode: 'delta' } })
  const run = await runFor(face, client)
  await run.say('turn_1', 'a')
  await finish(run, client)
  expect((patches(client)[0] as { data: object }).data).toEqual({ type: 'text', text_delta: 'a' })
})

test('[W2.6] all modes of one session fold to the same turn', async () => {
  await using face = await openFace()
  const clients = await Promise.all(
    (['compat', 'compat', 'delta', 'sync'] as const).map((patch_mode) => face.connect({ auth: { patch_mode } })),
  )
  const run = await runFor(face, ...clients)
  for (let i = 0; i < 200; i++) await run.say('turn_1', `token ${i} `)
  await finish(run, ...clients)
  for (const client of clients) expect(client.fold().turns).toEqual([run.turn('turn_1')])
  expect(patches(clients[1]!)).toEqual(patches(clients[0]!))
  for (const client of clients) client.socket.disconnect()
})

test('delta: the stored text goes out as it is, made once for all sockets', async () => {
  const event: StoredEvent = {
    session_id: 'sess_"1',
    event_seq: 5,
    at: 1,
    run_id: null,
    loop_id: null,
    turn_id: 't',
    type: 'turn:patch',
    data: '{"sequence":1}',
  }
  expect(shownOf(event)).toBe(shownOf(event))
  expect(JSON.parse(shownOf(event)!.payload)).toEqual({ session_id: 'sess_"1', event_seq: 5, sequence: 1 })
  expect(shownOf({ ...event, data: '{}' })!.payload).toBe('{"session_id":"sess_\\"1","event_seq":5}')
  expect(shownOf({ ...event, type: 'run:model_call' })).toBeUndefined()
})

test('delta: a patch of a few characters costs at most 250 bytes on the wire', async () => {
  await using face = await openFace()
  await using client = await face.connect({ auth: { patch_mode: 'delta' } })
  const run = await runFor(face, client)
  const sizes: number[] = []
  client.socket.io.engine.on('packet', ({ data }: { data?: string }) => {
    if (data?.includes('turn:patch')) sizes.push(Buffer.byteLength(data) + 1)
  })
  for (let i = 0; i < 100; i++) await run.say('turn_1', ' tok')
  await finish(run, client)
  expect(sizes).toHaveLength(100)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(250)
})

test('[W17] compat and delta: bytes grow in step with the answer', async () => {
  await using face = await openFace()
  const bytesOf = async (patch_mode: string, increments: number) => {
    const { id: session_id } = await face.sessions.create({ user_id: face.auth.owner_id }, {})
    await using client = await face.connect({ auth: { patch_mode } })
    let bytes = 0
    client.socket.io.engine.on('packet', ({ data }: { data?: string }) => (bytes += data ? Buffer.byteLength(data) : 0))
    await client.ask('chat:send', { session_id, message: 'hi' })
    const run = await face.sessions.nextRun()
    await run.startTurn('turn_1', 0)
    for (let i = 0; i < increments; i += 10) await run.say('turn_1', ...Array.from({ length: 10 }, () => 'word'))
    await run.endTurn('turn_1')
    await run.end()
    await client.until('chat:end')
    return bytes
  }
  for (const [mode, factor] of [
    ['compat', 200],
    ['delta', 100],
  ] as const) {
    const [half, whole] = [await bytesOf(mode, 5_000), await bytesOf(mode, 10_000)]
    expect(whole).toBeLessThan(factor * 40_000)
    expect(whole).toBeLessThan(2.2 * half)
  }
})

/** Counts what it hands out. */
class CountingJournal extends Journal {
  readonly handedOut = new Map<AbortSignal, number>()

  override async *follow(session_id: string, options: FollowOptions) {
    for await (const page of super.follow(session_id, options)) {
      const bytes = page.reduce((sum, { data }) => sum + data.length, 0)
      this.handedOut.set(options.signal, (this.handedOut.get(options.signal) ?? 0) + bytes)
      yield page
    }
  }
}

test('a socket that does not read holds little in memory, slows nobody down, and gets everything when it reads again', async () => {
  await using base = await openFace()
  const journal = new CountingJournal(base.engine, () => crypto.randomUUID())
  await using face = await openFace({ engine: base.engine, journal })
  await using slow = await face.connect({ auth: { patch_mode: 'delta' } })
  await using fast = await face.connect({ auth: { patch_mode: 'delta' } })
  const run = await runFor(face, slow, fast)
  await slow.until('turn:start')
  const websocket = (slow.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws
  websocket.pause()
  const total = 60_000_000
  for (let sent = 0; sent < total; sent += 200_000)
    await run.say('turn_1', ...Array.from({ length: 10 }, () => 'x'.repeat(20_000)))
  await run.endTurn('turn_1')
  await run.end()
  await fast.until('chat:end')
  const [least, most] = [Math.min(...journal.handedOut.values()), Math.max(...journal.handedOut.values())]
  expect(most).toBeGreaterThan(total)
  // What the kernel holds for a connection, and twice the outbox.
  expect(least).toBeLessThan(total / 3)
  websocket.resume()
  await slow.until('chat:end')
  expect(slow.fold().needsResync).toBe(false)
  expect(slow.received.filter(({ name }) => name === 'turn:patch')).toHaveLength(3_000)
})

test('[W2.3] a socket that fell too far behind is told that its run has ended, and is live again', async () => {
  await using face = await openFace()
  const { session_id } = face
  await using slow = await face.connect({ auth: { patch_mode: 'delta' } })
  const run = await runFor(face, slow)
  await slow.until('turn:start')
  const websocket = (slow.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws
  websocket.pause()
  for (let i = 0; i < 200; i++) await run.say('turn_1', ...Array.from({ length: 10 }, () => 'x'.repeat(20_000)))
  await run.endTurn('turn_1')
  await run.end()
  await face.engine.write(() => pruneEvents(session_id, Date.now() + 1_000))
  websocket.resume()
  const end = await slow.until('chat:end')
  expect(end.payload).toMatchObject({ session_id, run_id: run.run_id, status: 'completed' })
  expect(slow.names()).not.toContain('turn:end')
  await slow.ask('chat:send', { session_id, message: 'again' })
  const next = await face.sessions.nextRun()
  await next.end()
  await slow.until(({ name, payload }) => name === 'chat:end' && payload['run_id'] === next.run_id)
  expect(slow.names().slice(-2)).toEqual(['chat:start', 'chat:end'])
})
