import type { TurnProjection } from '@parley/protocol'
import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { nextOn, setUp } from './fast-client.ts'

test('[W14.2] socket() is the same object every time, and not connected until asked to', async () => {
  await using setup = await setUp()
  const socket = setup.client.socket()
  expect(setup.client.socket()).toBe(socket)
  expect([socket.connected, socket.active]).toEqual([false, false])
  expect(socket.io.opts).toMatchObject({ path: '/socket.io/', autoConnect: false })
})

test('[WR-75] the first emit connects, without connect()', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession('x')
  const ended = nextOn(setup.client, 'chat:end')
  setup.client.socket().emit('chat:send', { session_id, message: 'hello' })
  expect(await ended).toMatchObject({ session_id, status: 'completed' })
})

test('[W14.2] after disconnect() an emit waits for connect()', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession('x')
  const socket = setup.client.socket().connect()
  await nextOn(setup.client, 'connect')
  socket.disconnect()
  const ack = socket.emitWithAck('chat:send', { session_id, message: 'hello' })
  expect(socket.active).toBe(false)
  socket.connect()
  expect(await ack).toMatchObject({ status: 'ok' })
})

test('[W14.4] the wire carries increments only; listeners get content and the whole turn', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const seen: { content: unknown; text: string; sequence: number | undefined }[] = []
  const socket = client.socket().connect()
  socket.on('turn:patch', ({ patch_type, data }) => {
    if (patch_type !== 'add_content') return
    seen.push({ content: data.content, text: textOf(data.turn!), sequence: data.turn!.patch_sequence })
  })
  socket.emit('session:subscribe', { session_id })
  socket.emit('chat:send', { session_id, message: 'hello' })
  await nextOn(client, 'chat:end')
  expect(seen).toEqual([
    { content: '法国', text: '法国', sequence: 1 },
    { content: '法国的首都是', text: '法国的首都是', sequence: 2 },
    { content: '法国的首都是巴黎。', text: '法国的首都是巴黎。', sequence: 3 },
  ])
  const subscribed = server.commands.find(({ name }) => name === 'session:subscribe')
  expect(subscribed?.payload).toMatchObject({ patch_mode: 'delta' })
  expect(server.handshakes[0]).toMatchObject({ patch_mode: 'delta' })
})

test('[W14.4] envelopes of a server without patch modes are passed through', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  server.capabilities = []
  const { session_id } = await client.sessions.createSession('x')
  const seen: object[] = []
  client.socket().on('turn:patch', ({ data }) => seen.push(data))
  client.socket().emit('chat:send', { session_id, message: 'hello' })
  await nextOn(client, 'chat:end')
  expect(seen[0]).toEqual({ type: 'text', text_delta: '法国' })
})

test('[W14.4] what an application writes into a turn does not come back in the next patch', async () => {
  await using setup = await setUp()
  const { client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const texts: string[] = []
  const socket = client.socket()
  socket.on('turn:start', (turn) => turn.blocks.push({ type: 'text', content: 'mine' } as never))
  socket.on('turn:patch', ({ data }) => {
    texts.push(textOf(data.turn!))
    data.turn!.blocks.length = 0
  })
  socket.emit('chat:send', { session_id, message: 'hello' })
  const ended = new Promise<TurnProjection>((resolve) =>
    socket.on('turn:end', (turn) => turn.role === 'assistant' && resolve(turn)),
  )
  expect(textOf(await ended)).toBe('法国的首都是巴黎。')
  expect(texts).toEqual(['法国', '法国的首都是', '法国的首都是巴黎。'])
})

test('a patch for a turn that only the history knows arrives as a snapshot', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const turn = await scripted.assistant()
  await turn.say('earlier')
  await turn.end('paused')
  const socket = client.socket()
  await socket.emitWithAck('session:subscribe', { session_id: scripted.id })
  const snapshot = new Promise<TurnProjection>((resolve) =>
    socket.on('turn:patch', ({ patch_type, data }) => patch_type === 'sync' && resolve(data.turn)),
  )
  await turn.patch('set_status', { status: 'completed' })
  expect(await snapshot).toEqual(scripted.projection.turns[0])
})

test('[W14.3] turns the application read itself are known when their patches come', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const turn = await scripted.assistant()
  await turn.say('earlier')
  await turn.end('paused')
  const socket = client.socket()
  await socket.emitWithAck('session:subscribe', { session_id: scripted.id })
  await client.sessions.getSessionTurns(scripted.id)
  const patched = new Promise<TurnProjection>((resolve) => socket.on('turn:patch', ({ data }) => resolve(data.turn!)))
  await turn.patch('set_status', { status: 'completed' })
  expect(await patched).toMatchObject({ status: 'completed', blocks: [{ content: 'earlier' }] })
})

test('[W14.2] a session the application subscribed is subscribed again after a loss, with since', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const scripted = server.session()
  const socket = client.socket()
  await socket.emitWithAck('session:subscribe', { session_id: scripted.id })
  await scripted.user('one')
  server.cut()
  await nextOn(client, 'disconnect')
  const later = nextOn(client, 'turn:end')
  await scripted.user('two')
  expect(await later).toMatchObject({ sequence: 1 })
  expect(server.commands.at(-1)).toMatchObject({ name: 'session:subscribe', payload: { since: 2 } })
})

test('[W5.2] a session the application unsubscribed is not subscribed again', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const socket = client.socket()
  await socket.emitWithAck('session:subscribe', { session_id })
  await socket.emitWithAck('session:unsubscribe', { session_id })
  server.cut()
  await nextOn(client, 'connect')
  await socket.emitWithAck('chat:stop', { session_id })
  expect(server.commands.map(({ name }) => name)).toEqual(['session:subscribe', 'session:unsubscribe', 'chat:stop'])
})

test('[W14.2] every command takes an acknowledgement in all of the library’s ways, or none', async () => {
  await using setup = await setUp()
  const { client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const socket = client.socket()
  socket.emit('chat:stop', { session_id })
  expect(await new Promise((resolve) => socket.emit('chat:stop', { session_id }, resolve))).toMatchObject({
    status: 'ok',
  })
  expect(await socket.emitWithAck('chat:stop', { session_id })).toMatchObject({ status: 'ok' })
  expect(await socket.timeout(5_000).emitWithAck('chat:stop', { session_id })).toMatchObject({ status: 'ok' })
  const [error, ack] = await new Promise<unknown[]>((resolve) =>
    socket.timeout(5_000).emit('chat:stop', { session_id }, (...answer: unknown[]) => resolve(answer)),
  )
  expect([error, ack]).toMatchObject([null, { status: 'ok' }])
})

test('[W2.4] a refused command reaches the callback and system:error', async () => {
  await using setup = await setUp()
  const socket = setup.client.socket()
  const error = nextOn(setup.client, 'system:error')
  const ack = await socket.emitWithAck('session:subscribe', { session_id: 'sess_nowhere' })
  expect(ack).toMatchObject({ status: 'error', code: 'session_not_found' })
  expect(await error).toMatchObject({ code: 'session_not_found' })
})

test('offAny() takes the application’s listeners off, not ours', async () => {
  await using setup = await setUp()
  const { client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const socket = client.socket()
  socket.offAny()
  const patch = nextOn(client, 'turn:patch')
  socket.emit('chat:send', { session_id, message: 'hello' })
  expect(await patch).toMatchObject({ data: { content: '法国', turn: { turn_id: 'turn_1' } } })
})
