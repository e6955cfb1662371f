import { AssertionError } from 'node:assert'
import { expect, test } from 'vitest'
import type { Client } from '../face/client.ts'
import { sharedWorld, STORES, World } from './world.ts'

const world = sharedWorld()

test('[W2.2] [WR-54] a bad, missing, revoked or expired credential is connect_error unauthorized', async () => {
  const { plaintext, key } = (
    await world().rest<{ plaintext: string; key: { id: string } }>('POST', '/api/user/api-keys/', {
      body: { name: 'short-lived' },
    })
  ).body
  await (await world().connect({ token: plaintext }))[Symbol.asyncDispose]()
  expect((await world().rest('DELETE', `/api/user/api-keys/${key.id}`)).status).toBe(204)
  for (const token of ['sk-blade-v2-none', null, plaintext, world().expiredToken]) {
    const error = await world()
      .connect({ token })
      .then(
        () => new AssertionError({ message: `${token} came in` }),
        (reason: Error & { data?: unknown }) => reason,
      )
    expect(error.message).toBe('unauthorized')
    expect((error as { data?: unknown }).data).toMatchObject({ code: 'unauthorized', detail: expect.any(String) })
  }
})

test('[W2.2] [WR-56] a revoked key’s sockets hear of it and are closed within five seconds; its run goes on', async () => {
  world().learn({ 'keep going': [{ calls: [{ name: 'Work', arguments: { name: 'revoked' } }] }, { text: 'Went on.' }] })
  const { plaintext, key } = (
    await world().rest<{ plaintext: string; key: { id: string } }>('POST', '/api/user/api-keys/', {
      body: { name: 'to be revoked' },
    })
  ).body
  expect(plaintext).toMatch(/^sk-blade-v2-/)
  await using chat = await world().chat({ token: plaintext })
  await using watcher = await world().chat({ session_id: chat.session_id })
  const ack = await chat.send('keep going')
  await world().gates.reached('revoked')
  const revokedAt = performance.now()
  await world().rest('DELETE', `/api/user/api-keys/${key.id}`)
  await chat.until('(disconnect)')
  expect(performance.now() - revokedAt).toBeLessThan(5_000)
  expect(chat.received.filter(({ name }) => name === 'system:error')).toMatchObject([
    { payload: { code: 'unauthorized' } },
  ])
  world().gates.open('revoked')
  expect((await watcher.ended(ack)).end.status).toBe('completed')
  expect(watcher.received.map(({ name }) => name)).not.toContain('system:error')
})

test.each(['foreign', 'unknown'])(
  '[W17.1] a session that is %s: error in the acknowledgement and to this socket, no events, nothing stored',
  async (kind) => {
    world().learn({ [`private ${kind}`]: [{ text: 'Secret.' }] })
    await using owner = await world().chat()
    await using stranger = await world().connect({ token: world().strangersKey })
    const session_id = kind === 'foreign' ? owner.session_id : 'sess_nowhere'
    for (const name of ['session:subscribe', 'chat:send', 'chat:stop', 'chat:append'])
      expect(await stranger.ask(name, { session_id, message: 'let me in' }), name).toMatchObject({
        status: 'error',
        code: 'session_not_found',
      })
    expect(stranger.received.map(({ name, payload }) => [name, payload['code']])).toEqual(
      Array.from({ length: 4 }, () => ['system:error', 'session_not_found']),
    )
    await owner.run(`private ${kind}`)
    expect(stranger.received).toHaveLength(4)
    expect(owner.received.map(({ name }) => name)).not.toContain('system:error')
    expect(await owner.messages()).toHaveLength(2)
  },
)

test('[W17.1] [W10.18] two sockets see the same; who is not subscribed sees nothing; unsubscribing ends it', async () => {
  world().learn({ public: [{ text: 'For all.', chunkDelayMs: 5 }], later: [{ text: 'For one.' }] })
  await using one = await world().chat()
  await using two = await world().chat({ session_id: one.session_id })
  await using nobody = await world().connect()
  const run = await one.run('public')
  await two.ended(run.ack)
  expect(two.received).toEqual(one.received)
  expect(nobody.received).toEqual([])
  const { length } = two.received
  expect(await two.client.ask('session:unsubscribe', { session_id: one.session_id })).toMatchObject({ status: 'ok' })
  await one.run('later')
  expect(two.received).toHaveLength(length)
})

test('[W17.1] [WR-51] a second subscribe, in the middle of a run or before a message, sends nothing twice', async () => {
  world().learn({
    'first of two': [
      { text: 'One', calls: [{ name: 'Work', arguments: { name: 'again' } }] },
      { text: 'One and a half.' },
    ],
    'second of two': [{ text: 'Two.' }],
  })
  await using chat = await world().chat()
  const subscribe = () => chat.client.ask('session:subscribe', { session_id: chat.session_id })
  const ack = await chat.send('first of two')
  await world().gates.reached('again')
  expect(await subscribe()).toMatchObject({ status: 'ok', run_id: ack.run_id, replayed: false })
  world().gates.open('again')
  await chat.ended(ack)
  await subscribe()
  await chat.run('second of two')
  const numbers = chat.received.map(({ payload }) => payload['event_seq'])
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(chat.trace().filter((line) => line === 'chat:start')).toHaveLength(2)
})

test('[W17.1] [WR-50] chat:send without subscribe delivers the whole run', async () => {
  world().learn({ unannounced: [{ text: 'Here.' }] })
  await using client = await world().connect()
  const session_id = await world().newSession()
  await client.ask('chat:send', { session_id, message: 'unannounced' })
  await client.until('chat:end')
  expect(client.names().slice(0, 4)).toEqual(['chat:start', 'turn:start', 'turn:end', 'turn:start'])
})

test('[W2.4] [WR-53] every client event works with and without a callback', async () => {
  world().learn({ 'no callback': [{ text: 'Heard', hang: 'after' }] })
  await using client = await world().connect()
  const session_id = await world().newSession()
  const say = (name: string, payload: object) => client.socket.emit(name, payload)
  say('session:subscribe', { session_id })
  say('chat:send', { session_id, message: 'no callback' })
  await client.until(({ name, payload }) => name === 'turn:patch' && JSON.stringify(payload).includes('Heard'))
  say('chat:append', { session_id, message: 'added' })
  await client.until(({ name, payload }) => name === 'turn:end' && JSON.stringify(payload).includes('added'))
  say('chat:compact', { session_id })
  await client.until(({ payload }) => payload['code'] === 'session_busy')
  say('chat:stop', { session_id })
  await client.until('chat:end')
  say('session:unsubscribe', { session_id })
  for (const name of ['session:subscribe', 'session:unsubscribe', 'chat:stop'])
    expect(await client.ask(name, { session_id })).toMatchObject({ status: 'ok' })
})

test('[W5.3] the acknowledgement comes before chat:start', async () => {
  world().learn({ 'who is first': [{ text: 'The acknowledgement.' }] })
  await using chat = await world().chat()
  const order: string[] = []
  chat.client.socket.once('chat:start', () => order.push('chat:start'))
  const acked = new Promise<void>((resolve) => {
    chat.client.socket.emit('chat:send', { session_id: chat.session_id, message: 'who is first' }, () => {
      order.push('ack')
      resolve()
    })
  })
  await acked
  await chat.until('chat:end')
  expect(order).toEqual(['ack', 'chat:start'])
})

test('[W10.18] [WR-37] while A’s run is active B gets session_busy, alone, and nothing changes; B may stop A’s run', async () => {
  world().learn({ 'run of A': [{ text: 'Mine', hang: 'after' }] })
  await using a = await world().chat()
  await using b = await world().chat({ session_id: a.session_id })
  const ack = await a.send('run of A')
  await a.told('T1 text: Mine')
  const before = await a.messages()
  expect(await b.send('me too')).toMatchObject({ status: 'error', code: 'session_busy' })
  expect((await b.until('system:error')).payload).toMatchObject({
    code: 'session_busy',
    session_id: a.session_id,
    run_id: ack.run_id,
  })
  expect(await a.messages()).toEqual(before)
  await b.stop()
  await a.ended(ack)
  await b.ended(ack)
  expect(a.received.map(({ name }) => name)).not.toContain('system:error')
  expect((await a.session()).status).toBe('interrupted')
})

test('[W2.3] [W10.15] [WR-52] who subscribes in the middle gets chat:start and the turns so far, then what follows', async () => {
  world().learn({
    middle: [{ text: 'Before', calls: [{ name: 'Work', arguments: { name: 'middle' } }] }, { text: 'After.' }],
  })
  await using chat = await world().chat()
  const ack = await chat.send('middle')
  await world().gates.reached('middle')
  await using late = await world().chat({ session_id: chat.session_id })
  expect(late.received.map(({ name, payload }) => [name, payload['replayed']])).toEqual([
    ['chat:start', true],
    ['turn:start', true],
  ])
  expect(late.received[1]!.payload).toMatchObject({
    status: 'streaming',
    patch_sequence: 2,
    blocks: [{ type: 'text', content: 'Before' }, { type: 'tool_use' }],
    tool_calls: [{ status: 'pending' }],
  })
  world().gates.open('middle')
  const [whole, rest] = [await chat.ended(ack), await late.ended(ack)]
  expect(rest.trace.slice(2)).toEqual(whole.trace.slice(whole.trace.indexOf('T1 tool_result c1 done')))
  expect(late.fold().turns).toEqual((await chat.messages()).slice(1))
})

test('[W2.3] who subscribes when nothing runs gets nothing but the acknowledgement', async () => {
  world().learn({ over: [{ text: 'Over.' }] })
  await using chat = await world().chat()
  await chat.run('over')
  await using client = await world().connect()
  const { session_id } = chat
  const { last_event_seq } = await chat.session()
  expect(await client.ask('session:subscribe', { session_id })).toMatchObject({
    status: 'ok',
    session: { id: session_id, status: 'completed' },
    run_id: null,
    event_seq: last_event_seq,
    replayed: false,
  })
  expect(client.received).toEqual([])
})

test('[WR-57] [WR-4] by default no event and no patch type is sent that the specifications do not name', async () => {
  const known = /^(chat:(start|end)|turn:(start|patch|end)|session:updated|system:(error|notification))$/
  world().learn({
    names: [{ thinking: 'x', text: 'y', calls: [{ name: 'Bash', arguments: { command: 'z' } }] }, { text: 'w' }],
  })
  await using chat = await world().chat()
  await chat.run('names')
  expect(chat.received.filter(({ name }) => !known.test(name))).toEqual([])
  const patches = chat.received.filter(({ name }) => name === 'turn:patch').map(({ payload }) => payload['patch_type'])
  expect(new Set(patches)).toEqual(new Set(['add_content', 'add_tool_call', 'tool_result']))
})

const GARBAGE: [string, unknown[]][] = [
  ['nothing', []],
  ['null', [null]],
  ['a text', ['sess_1']],
  ['a number', [42]],
  ['a list', [[{ session_id: 'sess_1' }]]],
  ['bytes', [Buffer.from([0, 255, 1])]],
  ['an id that is no text', [{ session_id: { $ne: null }, message: 'x' }]],
  ['an id with a NUL', [{ session_id: 'sess_\u0000', message: 'x' }]],
  ['an id without end', [{ session_id: 's'.repeat(100_000), message: 'x' }]],
  ['a message that is an object', [{ session_id: 'ID', message: { text: 'x' } }]],
  ['a part nobody knows', [{ session_id: 'ID', message: [{ type: 'video', url: 'x' }] }]],
  ['an answer without its fields', [{ session_id: 'ID', message: '', askuser_answer: { tool_call_id: 'tc' } }]],
  [
    'a selection that is no list',
    [{ session_id: 'ID', message: '', askuser_answer: { tool_call_id: 'tc', selections: { '0': 1 }, custom: {} } }],
  ],
  ['environment with a bad name', [{ session_id: 'ID', message: 'x', runtime_env: { 'A B': 'c' } }]],
  ['environment that is no text', [{ session_id: 'ID', message: 'x', runtime_env: { A: 1 } }]],
  ['a client_message_id without end', [{ session_id: 'ID', message: 'x', client_message_id: 'm'.repeat(129) }]],
  ['a client_message_id with a NUL', [{ session_id: 'ID', message: 'x', client_message_id: 'm\u0000' }]],
  ['a mode that does not exist', [{ session_id: 'ID', message: 'x', mode: 'dreaming' }]],
  ['a schema that is a text', [{ session_id: 'ID', message: 'x', output_schema: 'object' }]],
  ['nothing to say', [{ session_id: 'ID', message: '' }]],
  ['nothing to say in parts', [{ session_id: 'ID', message: [] }]],
  ['a polluting key', [JSON.parse('{"session_id":"ID","__proto__":{"message":"x"}}')]],
]

test.each(GARBAGE)(
  '[W5.3] [W2.4] chat:send with %s: a documented error, nothing stored, nothing started',
  async (_what, args) => {
    await using chat = await world().chat()
    const filled = JSON.parse(JSON.stringify(args).replaceAll('"ID"', `"${chat.session_id}"`)) as unknown[]
    const given = args.some((arg) => Buffer.isBuffer(arg)) ? args : filled
    const ack = await new Promise<Record<string, unknown>>((resolve) =>
      chat.client.socket.emit('chat:send', ...given, resolve),
    )
    expect(ack).toMatchObject({ status: 'error', message: expect.any(String) })
    expect(['invalid_payload', 'session_not_found', 'ask_not_pending']).toContain(ack['code'])
    expect((await chat.until('system:error')).payload).toMatchObject({ code: ack['code'] })
    expect(await chat.messages()).toEqual([])
    expect(await chat.session()).toMatchObject({ status: 'created', last_event_seq: 0 })
  },
)

test.each(STORES)(
  '[W2.1] on %s, frames that are no packets and messages beyond 20 MiB cost their own connection only',
  async (store) => {
    await using own = store === 'sqlite' ? undefined : await World.open(store)
    const here = own ?? world()
    here.learn({ [`unharmed on ${store}`]: [{ text: 'Fine.' }] })
    await using bystander = await here.chat()
    const raw = (client: Client, text: string) =>
      (client.socket.io.engine as unknown as { write(text: string): void }).write(text)
    for (const frame of [
      '9{{{',
      '2',
      '2[',
      '2{"a":1}',
      '2[1,2]',
      '42["x"',
      '5',
      '451-["chat:send",{"_placeholder":true,"num":0}]',
    ]) {
      const client = await here.connect()
      raw(client, frame)
      raw(client, '9 closes what is still open')
      await client.until('(disconnect)')
      client.socket.disconnect()
    }
    const large = await here.connect()
    large.socket.emit('chat:send', { session_id: bystander.session_id, message: 'x'.repeat(21 * 1024 * 1024) })
    await large.until('(disconnect)')
    large.socket.disconnect()
    expect((await bystander.run(`unharmed on ${store}`)).end.status).toBe('completed')
    expect(await bystander.messages()).toHaveLength(2)
    expect(here.errors).toEqual([])
  },
)

test('nothing that these clients did was an error to the server', () => {
  expect(world().errors).toEqual([])
})
