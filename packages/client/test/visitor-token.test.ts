import type { ConnectionState, TokenNeed } from '@parley/client'
import { expect, test } from 'vitest'
import { fastClient, idle, nextOn, setUp, until } from './fast-client.ts'
import type { ScriptedServer } from './scripted-server.ts'

/** A page's back end: every question gets the next token, which the server knows. */
function backEnd(server: ScriptedServer, prefix = 'visitor') {
  const asked: (TokenNeed | undefined)[] = []
  const getToken = async (need?: TokenNeed) => {
    asked.push(need)
    const token = `${prefix}-${asked.length}`
    server.keys.add(token)
    return token
  }
  return { asked, getToken }
}

test('a getter that takes its time is asked once for many calls, and again when its token is refused, once for all', async () => {
  await using setup = await setUp()
  const { server } = setup
  const { asked, getToken } = backEnd(server)
  const client = fastClient(server.url, getToken)
  const list = () => client.sessions.listSessions()
  await Promise.all([list(), list()])
  await list()
  expect(asked).toEqual([undefined])
  server.keys.delete('visitor-1')
  await Promise.all([list(), list()])
  expect(asked).toEqual([undefined, { insteadOf: 'visitor-1', because: 'refused' }])
  expect(server.requests.at(-1)).toMatchObject({ authorization: 'Bearer visitor-2' })
})

test('a token that does not help is reported after one more try, not after many', async () => {
  await using setup = await setUp()
  const { server } = setup
  let asked = 0
  const client = fastClient(server.url, async () => `unknown-${(asked += 1)}`)
  await expect(client.sessions.listSessions()).rejects.toMatchObject({ status: 401 })
  expect([asked, server.requests.length]).toEqual([2, 2])
  using session = client.sessions.connect(server.session().id)
  await until(session, ({ connection }) => connection === 'refused')
  expect([client.socket().active, server.handshakes.length]).toEqual([false, 2])
})

test('a token that ends soon is renewed on the same socket in the middle of a run', async () => {
  await using setup = await setUp()
  const { server } = setup
  server.lastsMs = 400
  const { asked, getToken } = backEnd(server)
  const client = fastClient(server.url, getToken)
  using session = await client.sessions.create()
  await session.ready()
  const states = new Set<ConnectionState>()
  session.subscribe(() => states.add(session.getState().connection))
  const starts: unknown[] = []
  session.on('chat:start', (payload) => starts.push(payload))
  const { id } = client.socket()
  await session.send('stop')
  await expect.poll(() => server.renewals).toContain('visitor-3')
  // What it came with is worth nothing by now.
  server.revoke('visitor-1')
  server.revoke('visitor-2')
  await session.stop()
  await until(session, idle)
  expect(client.socket().id).toBe(id)
  expect([...states]).toEqual(['connected'])
  expect(starts).toHaveLength(1)
  expect(asked[1]).toEqual({ insteadOf: 'visitor-1', because: 'expiring' })
  expect(server.handshakes.filter(({ token }) => String(token).startsWith('visitor'))).toHaveLength(1)
  client.socket().disconnect()
})

test('a token refused on a live socket is replaced: back with since, and nobody hears of it', async () => {
  await using setup = await setUp()
  const { server } = setup
  const { getToken } = backEnd(server)
  const client = fastClient(server.url, getToken)
  using session = await client.sessions.create()
  await session.send('hello')
  await until(session, idle)
  const states = new Set<ConnectionState>()
  session.subscribe(() => states.add(session.getState().connection))
  server.revoke('visitor-1')
  await until(session, ({ connection }) => connection === 'reconnecting')
  const sent = session.send('hello')
  await until(session, ({ connection }) => connection === 'connected')
  expect(await sent).toMatchObject({ status: 'ok' })
  await until(session, idle)
  expect(states).not.toContain('refused')
  expect(server.handshakes.at(-1)).toMatchObject({ token: 'visitor-2' })
  const again = server.commands.filter(({ name }) => name === 'session:subscribe').at(-1)
  expect(again?.payload['since']).toBeGreaterThan(0)
  client.socket().disconnect()
})

test('a getter that answers at once is read every time, and may have another token when one is refused', async () => {
  await using setup = await setUp()
  const { server } = setup
  server.keys.add('second')
  let token = 'first'
  const client = fastClient(server.url, (need) => {
    if (need) token = 'second'
    return token
  })
  await client.sessions.listSessions()
  expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second'])
})

test('after disconnect() somebody else may be signed in: the getter is asked anew', async () => {
  await using setup = await setUp()
  const { server } = setup
  const { asked, getToken } = backEnd(server)
  const client = fastClient(server.url, getToken)
  client.socket().connect()
  await nextOn(client, 'connect')
  client.socket().disconnect().connect()
  await nextOn(client, 'connect')
  expect(server.handshakes.map((auth) => auth['token'])).toEqual(['visitor-1', 'visitor-2'])
  expect(asked).toEqual([undefined, undefined])
  client.socket().disconnect()
})

test('a getter that fails is asked again until it does not', async () => {
  await using setup = await setUp()
  const { server } = setup
  let isDown = true
  let failures = 0
  const { getToken } = backEnd(server)
  const client = fastClient(server.url, async (need) => {
    if (!isDown) return getToken(need)
    failures += 1
    throw new Error('The back end is down.')
  })
  await expect(client.sessions.listSessions()).rejects.toThrow('The back end is down.')
  client.socket().connect()
  // For the question what the server can do, and for the connection itself.
  await expect.poll(() => failures).toBe(3)
  isDown = false
  await nextOn(client, 'connect')
  client.socket().disconnect()
})

test('a token that cannot change is not renewed', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  server.lastsMs = 100
  client.socket().connect()
  await nextOn(client, 'auth:expires')
  await expect.poll(async () => (await client.sessions.listSessions()).length).toBe(0)
  server.revoke([...server.keys][0]!)
  await nextOn(client, 'disconnect')
  expect([server.renewals, client.socket().active]).toEqual([[], false])
})

test('a back end makes, lists and revokes tokens', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const answer = { status: 200, body: {} }
  for (const route of ['POST /api/auth/tokens', 'GET /api/auth/tokens', 'DELETE /api/auth/tokens'])
    server.routes[route] = () => answer
  server.routes['DELETE /api/auth/tokens/tok_1'] = () => ({ status: 204 })
  await client.auth.createToken({ subject: 'anna', scopes: ['chat', 'files'], expires_in: 600 })
  await client.auth.listTokens({ subject: 'anna' })
  await client.auth.revokeToken('tok_1')
  await client.auth.revokeTokensOf('anna b')
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/auth/tokens',
    'GET /api/auth/tokens?subject=anna',
    'DELETE /api/auth/tokens/tok_1',
    'DELETE /api/auth/tokens?subject=anna+b',
  ])
  expect(server.requests[0]).toMatchObject({ body: { subject: 'anna', scopes: ['chat', 'files'], expires_in: 600 } })
})
