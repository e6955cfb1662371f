import { expect, test } from 'vitest'
import { openFace } from './face.ts'

const unauthorized = { message: 'unauthorized', data: { code: 'unauthorized', detail: expect.any(String) } }

test.each([
  ['no credential', { token: null }],
  ['a wrong token', { token: 'sk-blade-v2-wrong' }],
  ['an auth object of another shape', { token: null, auth: { token: 7 } }],
])('[W2.2] %s is refused with a connect_error that says why', async (_what, options) => {
  await using face = await openFace()
  const refused = face.connect(options)
  await expect(refused).rejects.toMatchObject('auth' in options ? { message: 'invalid_payload' } : unauthorized)
})

test('[W2.2] the token, the Authorization header and the login cookie all open the door, over both transports', async () => {
  await using face = await openFace()
  const login = await face.auth.signIn(await face.auth.newSignInCode())
  for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
    await using byToken = await face.connect({ transports })
    await using byHeader = await face.connect({
      transports,
      token: null,
      headers: { authorization: `Bearer ${face.key}` },
    })
    await using byCookie = await face.connect({
      transports,
      token: null,
      headers: { cookie: `a=b; parley_login=${login}` },
    })
    for (const client of [byToken, byHeader, byCookie])
      expect(await client.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
  }
})

test('[W2.2] a revoked key stops at once: its sockets are told and closed, others stay', async () => {
  await using face = await openFace({ recheckMs: 60_000 })
  const { key, plaintext } = await face.auth.keys.create(face.auth.owner_id, 'other')
  await using other = await face.connect({ token: plaintext })
  await using mine = await face.connect()
  expect((await face.request('DELETE', `/api/user/api-keys/${key.id}`)).status).toBe(204)
  await other.until('(disconnect)')
  expect(other.received).toMatchObject([
    { name: 'system:error', payload: { code: 'unauthorized' } },
    { name: '(disconnect)', payload: { reason: 'io server disconnect' } },
  ])
  await expect(face.connect({ token: plaintext })).rejects.toMatchObject(unauthorized)
  expect(await mine.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
})

test('[W2.2] a key revoked by another instance closes its sockets here at the next look', async () => {
  await using here = await openFace({ recheckMs: 5 })
  await using client = await here.connect()
  await using elsewhere = await openFace({ engine: here.engine })
  const [key] = await elsewhere.auth.keys.list(elsewhere.auth.owner_id)
  await elsewhere.auth.revokeKey(elsewhere.auth.owner_id, key!.id)
  await client.until('(disconnect)')
  expect(client.received[0]).toMatchObject({ name: 'system:error', payload: { code: 'unauthorized' } })
})

test('[W2.2] logging out closes the sockets of that login only', async () => {
  await using face = await openFace({ recheckMs: 60_000 })
  const [one, two] = [
    await face.auth.signIn(await face.auth.newSignInCode()),
    await face.auth.signIn(await face.auth.newSignInCode()),
  ]
  await using first = await face.connect({ token: null, headers: { cookie: `parley_login=${one}` } })
  await using second = await face.connect({ token: null, headers: { cookie: `parley_login=${two}` } })
  const headers = { cookie: `parley_login=${one}`, origin: face.url }
  expect((await face.request('POST', '/api/auth/logout', { token: null, headers })).status).toBe(200)
  await first.until('(disconnect)')
  expect(await second.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
})

test('[W2.3] subscribing to a session that is foreign or does not exist is an error to this socket only', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  await using bystander = await face.connect()
  const { id } = await face.sessions.create({ user_id: 'user_other' }, {})
  for (const session_id of [id, 'sess_none', 'sess_\0']) {
    const ack = await client.ask('session:subscribe', { session_id })
    expect(ack).toMatchObject({ status: 'error', code: 'session_not_found' })
    expect(await client.until(({ payload }) => payload['session_id'] === session_id)).toMatchObject({
      name: 'system:error',
      payload: { code: 'session_not_found', message: ack['message'] },
    })
  }
  await bystander.ask('chat:stop', { session_id: face.session_id })
  expect(bystander.received).toEqual([])
})

test('[W5.1] the acknowledgement of a subscription says where the session stands', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const ack = await client.ask('session:subscribe', { session_id: face.session_id })
  expect(ack).toMatchObject({ status: 'ok', message: null, code: null, run_id: null, event_seq: 0, replayed: false })
  expect(ack['session']).toMatchObject({ id: face.session_id, status: 'created', last_event_seq: 0 })
})

test('[WR-50] chat:send without subscribing delivers the whole run', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const ack = await client.ask('chat:send', { session_id: face.session_id, message: 'hello' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  await run.say('turn_1', 'Hel', 'lo')
  await run.endTurn('turn_1')
  await run.end()
  await client.until('chat:end')
  expect(ack).toEqual({ status: 'ok', message: null, code: null, session_id: face.session_id, run_id: run.run_id })
  expect(client.names()).toEqual(['chat:start', 'turn:start', 'turn:patch', 'turn:patch', 'turn:end', 'chat:end'])
})

test.each([
  ['a socket that follows already', true],
  ['a socket that does not follow yet', false],
])('[W5.3] %s gets the acknowledgement of chat:send before chat:start', async (_what, isSubscribed) => {
  await using face = await openFace()
  await using client = await face.connect()
  await using watcher = await face.connect()
  if (isSubscribed) await client.ask('session:subscribe', { session_id: face.session_id })
  await watcher.ask('session:subscribe', { session_id: face.session_id })
  const order: string[] = []
  client.socket.onAny((name: string) => order.push(name))
  // The run is stored, and another socket has seen it, before the sender's request comes back.
  face.sessions.afterCommit = async () => void (await watcher.until('chat:start'))
  client.socket.emit('chat:send', { session_id: face.session_id, message: 'hi' }, () => order.push('(ack)'))
  await client.until('chat:start')
  expect(order).toEqual(['(ack)', 'chat:start'])
})

test('[WR-51] subscribing again repeats nothing and loses nothing', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  await client.ask('session:subscribe', { session_id: face.session_id })
  await client.ask('chat:send', { session_id: face.session_id, message: 'hi' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  const again = await client.ask('session:subscribe', { session_id: face.session_id })
  expect(again).toMatchObject({ status: 'ok', run_id: run.run_id, replayed: false })
  await run.say('turn_1', 'a')
  await client.ask('session:subscribe', { session_id: face.session_id, patch_mode: 'delta' })
  await run.say('turn_1', 'b')
  await run.endTurn('turn_1')
  await run.end()
  await client.until('chat:end')
  expect(client.names()).toEqual(['chat:start', 'turn:start', 'turn:patch', 'turn:patch', 'turn:end', 'chat:end'])
  const numbers = client.received.map(({ payload }) => payload['event_seq'] as number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
})

test('[W10.18] two sockets see the same events in the same order, and only the busy sender hears session_busy', async () => {
  await using face = await openFace()
  await using a = await face.connect()
  await using b = await face.connect({ transports: ['polling'] })
  for (const client of [a, b])
    await client.ask('session:subscribe', { session_id: face.session_id, patch_mode: 'delta' })
  await a.ask('chat:send', { session_id: face.session_id, message: 'hi' })
  const busy = await b.ask('chat:send', { session_id: face.session_id, message: 'me too' })
  expect(busy).toMatchObject({ status: 'error', code: 'session_busy', detail: { run_id: 'chat_other' } })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  for (let i = 0; i < 50; i++) await run.say('turn_1', `${i} `)
  await run.endTurn('turn_1')
  await run.end()
  await Promise.all([a.until('chat:end'), b.until('chat:end')])
  expect(b.received.filter(({ name }) => name !== 'system:error')).toEqual(a.received)
  expect(b.received.filter(({ name }) => name === 'system:error')).toMatchObject([
    { payload: { code: 'session_busy', run_id: 'chat_other' } },
  ])
})

test('[W5.2] after unsubscribing a socket sees nothing more; unsubscribing is never an error', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  await using other = await face.connect()
  await other.ask('session:subscribe', { session_id: face.session_id })
  // In the order they were sent, though nobody waits for the first.
  client.socket.emit('session:subscribe', { session_id: face.session_id })
  expect(await client.ask('session:unsubscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
  expect(await client.ask('session:unsubscribe', { session_id: 'sess_none' })).toMatchObject({ status: 'ok' })
  await other.ask('chat:send', { session_id: face.session_id, message: 'hi' })
  await (await face.sessions.nextRun()).end()
  await other.until('chat:end')
  await client.ask('chat:stop', { session_id: face.session_id })
  expect(client.received).toEqual([])
})

test('[W5.4] chat:stop says whether there was anything to stop', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const { session_id } = face
  expect(await client.ask('chat:stop', { session_id })).toMatchObject({ status: 'ok', message: 'not_running' })
  await client.ask('chat:send', { session_id, message: 'hi' })
  expect(await client.ask('chat:stop', { session_id })).toMatchObject({ status: 'ok', message: null })
})

test('[W5.5] chat:compact says why it did nothing; [W5.6] chat:append needs a run', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const { session_id } = face
  expect(await client.ask('chat:compact', { session_id })).toMatchObject({
    status: 'error',
    code: 'compaction_not_needed',
  })
  expect(await client.ask('chat:append', { session_id, message: 'x' })).toMatchObject({
    status: 'error',
    code: 'not_running',
  })
  await client.ask('chat:send', { session_id, message: 'hi' })
  expect(await client.ask('chat:append', { session_id, message: 'x' })).toMatchObject({ status: 'ok' })
})

test.each([
  ['nothing', []],
  ['a callback alone', [() => {}]],
  ['text', ['sess_1']],
  ['null', [null]],
  ['an array', [[1, 2]]],
  ['bytes', [Buffer.from('abc')]],
  ['a number where a text belongs', [{ session_id: 5, message: {} }]],
  ['bytes where a text belongs', [{ session_id: Buffer.from('sess_1'), message: Buffer.from('abc') }]],
  ['more arguments than there are', [{ session_id: 'sess_1' }, 2, 3]],
])('[W2.4] every client event with %s is answered with invalid_payload and harms nobody', async (_what, args) => {
  await using face = await openFace()
  await using client = await face.connect()
  for (const name of [
    'session:subscribe',
    'session:unsubscribe',
    'chat:send',
    'chat:stop',
    'chat:compact',
    'chat:append',
  ]) {
    const isValid = args.length === 3 && !['chat:send', 'chat:append'].includes(name)
    if (!isValid) {
      client.socket.emit(name, ...args)
      const error = await client.until(
        (event) => event.name === 'system:error' && event.payload['message'] !== undefined,
      )
      expect(error.payload).toMatchObject({ code: 'invalid_payload' })
      client.received.length = 0
    }
  }
  expect(await client.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
})

test('an event that nobody knows is answered only to whoever asks for an answer', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  client.socket.emit('constructor', {})
  expect(await client.ask('toString', {})).toMatchObject({ status: 'error', code: 'not_supported' })
  expect(client.received).toEqual([])
})

test('garbage frames close their own connection and leave the server unharmed', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const engine = client.socket.io.engine
  ;(engine as unknown as { write(text: string): void }).write('9{{{not a packet')
  await client.until('(disconnect)')
  await using next = await face.connect()
  expect(await next.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
})

test('[W2.1] a message larger than 20 MiB closes the socket', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  client.socket.emit('chat:send', { session_id: face.session_id, message: 'x'.repeat(20 * 1024 * 1024) })
  await client.until('(disconnect)')
  expect(face.sessions.calls).toEqual([])
})

test('a deleted session says so and ends the subscription', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  const { session_id } = face
  await client.ask('session:subscribe', { session_id })
  expect((await face.request('DELETE', `/api/sessions/${session_id}`)).status).toBe(200)
  await client.until('session:deleted')
  expect(client.received).toMatchObject([{ name: 'session:deleted', payload: { session_id } }])
  expect(await client.ask('session:subscribe', { session_id })).toMatchObject({ code: 'session_not_found' })
})

test('more sockets than the limit are refused; one that leaves makes room', async () => {
  await using face = await openFace({ maxSockets: 1 })
  const first = await face.connect()
  await expect(face.connect({ transports: ['polling'] })).rejects.toThrow()
  await expect(face.connect()).rejects.toThrow()
  const gone = new Promise((resolve) => first.socket.io.engine.once('close', resolve))
  first.socket.disconnect()
  await gone
  await expect
    .poll(async () =>
      face.connect().then(
        (client) => client.socket.disconnect() && 'in',
        () => 'refused',
      ),
    )
    .toBe('in')
})

test('a socket that leaves, by itself or by unsubscribing, leaves nothing behind', async () => {
  await using face = await openFace()
  const { session_id, engine } = face
  const clients = await Promise.all(
    ['compat', 'delta', 'sync'].map((patch_mode) => face.connect({ auth: { patch_mode } })),
  )
  for (const client of clients) await client.ask('session:subscribe', { session_id })
  expect(engine.hub.followedSessions()).toEqual([session_id])
  await clients[0]!.ask('session:unsubscribe', { session_id })
  for (const client of clients) client.socket.disconnect()
  await expect.poll(() => engine.hub.followedSessions()).toEqual([])
})

test('closing the server closes the sockets', async () => {
  const face = await openFace()
  const client = await face.connect()
  await client.ask('session:subscribe', { session_id: face.session_id })
  await face[Symbol.asyncDispose]()
  await client.until('(disconnect)')
})
