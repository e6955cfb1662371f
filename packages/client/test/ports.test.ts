import { ParleyClient } from '@parley/client'
import { expect, test } from 'vitest'
import { systemPorts } from '../src/ports.ts'
import { setUp, until } from './fast-client.ts'
import { KEY } from './scripted-server.ts'

test('what failed for now is tried again after half a second, then after twice as long, ten seconds at most', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  const waited: number[] = []
  const later = (action: () => void, ms: number) => {
    waited.push(ms)
    return systemPorts.later(action, 0)
  }
  const client = new ParleyClient({ baseUrl: setup.server.url, token: KEY }, { ...systemPorts, later })
  setup.server.routes[`GET /api/sessions/${scripted.id}/messages`] = () =>
    waited.length < 7 ? { status: 503, body: { detail: 'Not now.' } } : { status: 200, body: [] }
  using session = client.sessions.connect(scripted.id)
  await until(session, ({ errorMessage }) => errorMessage === 'Not now.')
  await session.ready()
  expect(waited).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  expect(session.getState().errorMessage).toBeNull()
})

test('a message’s id comes from the ports, whichever way it is sent', async () => {
  await using setup = await setUp()
  let made = 0
  const newMessageId = () => `cm_${(made += 1)}`
  const client = new ParleyClient({ baseUrl: setup.server.url, token: KEY }, { ...systemPorts, newMessageId })
  using session = await client.sessions.create()
  await session.send('stop')
  await session.append('more')
  await client.socket().emitWithAck('chat:append', { session_id: session.id, message: 'and more' })
  const sent = setup.server.commands.filter(({ name }) => name === 'chat:send' || name === 'chat:append')
  expect(sent.map(({ payload }) => payload['client_message_id'])).toEqual(['cm_1', 'cm_2', 'cm_3'])
  client.socket().disconnect()
})
