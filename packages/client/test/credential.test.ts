import { expect, test } from 'vitest'
import { fastClient, idle, nextOn, setUp, until } from './fast-client.ts'
import { KEY } from './scripted-server.ts'

test('[W14.2] the token is read anew for every connect', async () => {
  await using setup = await setUp()
  const { server } = setup
  server.keys.add('sk-test-2')
  let token = KEY
  const client = fastClient(server.url, () => token)
  client.socket().connect()
  await nextOn(client, 'connect')
  token = 'sk-test-2'
  client.socket().disconnect().connect()
  await nextOn(client, 'connect')
  client.socket().disconnect()
  expect(server.handshakes.map((auth) => auth['token'])).toEqual([KEY, 'sk-test-2'])
})

test('[W2.2] the token travels in the handshake and in the header, never in a URL', async () => {
  await using setup = await setUp()
  setup.client.socket().connect()
  await nextOn(setup.client, 'connect')
  await setup.client.sessions.listSessions()
  expect(setup.server.requests.filter(({ url }) => url.includes(KEY))).toEqual([])
  expect(setup.client.buildAuthedUrl('/api/x')).toBe(`${setup.server.url}/api/x`)
})

test('[W2.2] a bad token is a connect_error, and is not tried again', async () => {
  await using setup = await setUp()
  const client = fastClient(setup.server.url, 'sk-wrong')
  client.socket().connect()
  expect(await nextOn(client, 'connect_error')).toMatchObject({
    message: 'unauthorized',
    data: { code: 'unauthorized' },
  })
  expect(client.socket().active).toBe(false)
})

test('[W2.2] a revoked key ends what waits, with unauthorized, and is not tried again', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.ready()
  server.revoke(KEY)
  await until(session, ({ connection }) => connection === 'refused')
  await expect(session.send('hello')).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(session.ready()).rejects.toMatchObject({ code: 'unauthorized' })
  expect(server.handshakes).toHaveLength(1)
})

test('[W14.2] with a new key, disconnect() and connect() bring the sessions back', async () => {
  await using setup = await setUp()
  const { server } = setup
  let key = KEY
  const client = fastClient(server.url, () => key)
  using session = await client.sessions.create()
  await session.ready()
  server.revoke(KEY)
  await until(session, ({ connection }) => connection === 'refused')
  key = 'sk-test-2'
  server.keys.add(key)
  client.socket().disconnect()
  client.socket().connect()
  await session.ready()
  await session.send('hello')
  await until(session, (state) => idle(state) && state.turns.length === 2)
  client.socket().disconnect()
})
