import { expect, test } from 'vitest'
import { idle, setUp, until } from './fast-client.ts'

test('[W10.15] a message whose acknowledgement was lost is sent again under the same id and runs once', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  using session = await client.sessions.create()
  await session.ready()
  server.loseAck('chat:send')
  expect(await session.send('hello')).toMatchObject({ status: 'ok', run_id: 'chat_1' })
  await until(session, (state) => idle(state) && state.turns.length === 2)
  const ids = server.commands
    .filter(({ name }) => name === 'chat:send')
    .map(({ payload }) => payload['client_message_id'])
  expect(ids).toEqual([expect.any(String), ids[0]])
  expect(server.session(session.id).journal.filter(({ name }) => name === 'chat:start')).toHaveLength(1)
})

test('[W10.15] the same goes for a message the application sent through the socket', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const { session_id } = await client.sessions.createSession('x')
  const socket = client.socket().connect()
  server.loseAck('chat:send')
  const ack = await socket.emitWithAck('chat:send', { session_id, message: 'hello' })
  expect(ack).toMatchObject({ status: 'ok', run_id: 'chat_1' })
  expect(server.commands.filter(({ name }) => name === 'chat:send')).toHaveLength(2)
  expect(server.session(session_id).accepted.size).toBe(1)
})

test('a server without extensions gets no message twice', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  server.capabilities = []
  const { session_id } = await client.sessions.createSession('x')
  const socket = client.socket().connect()
  server.loseAck('chat:send')
  await expect(socket.emitWithAck('chat:send', { session_id, message: 'hello' })).rejects.toThrow('connection was lost')
  expect(server.commands.filter(({ name }) => name === 'chat:send')).toHaveLength(1)
})
