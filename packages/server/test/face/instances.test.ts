import { expect, test } from 'vitest'
import { postgresPlace } from '../store/place.ts'
import { openFace } from './face.ts'

test('[W11.3] a caller may wait, and a socket follow, on another instance than the one that runs', async () => {
  await using place = await postgresPlace()
  await using engineOfOne = await place.open()
  await using engineOfTwo = await place.open()
  await using one = await openFace({ engine: engineOfOne })
  await using two = await openFace({ engine: engineOfTwo })
  const { session_id } = one
  await using here = await one.connect()
  await using there = await two.connect()
  await there.ask('session:subscribe', { session_id })
  await here.ask('session:subscribe', { session_id })
  const path = `/api/sessions/${session_id}/chat`
  const body = { message: 'hi', client_message_id: 'm1' }
  const first = one.request('POST', path, { body })
  const run = await one.sessions.nextRun()
  const second = two.request('POST', path, { body })
  await run.startTurn('turn_1', 0)
  for (let i = 0; i < 20; i++) await run.say('turn_1', `${i} `)
  await run.endTurn('turn_1')
  await run.end({ result: { output: 'done' } })
  expect(await (await second).json()).toEqual(await (await first).json())
  await Promise.all([here.until('chat:end'), there.until('chat:end')])
  expect(there.received).toEqual(here.received)
})

test('[W2.2] a key revoked on one instance is worth nothing on another, at once over REST and soon on sockets', async () => {
  await using place = await postgresPlace()
  await using engineOfOne = await place.open()
  await using engineOfTwo = await place.open()
  await using one = await openFace({ engine: engineOfOne })
  await using two = await openFace({ engine: engineOfTwo, recheckMs: 20 })
  const { key, plaintext } = await one.auth.keys.create(one.auth.owner_id, 'shared')
  await using client = await two.connect({ token: plaintext })
  expect((await two.request('GET', '/api/auth/me', { token: plaintext })).status).toBe(200)
  expect((await one.request('DELETE', `/api/user/api-keys/${key.id}`)).status).toBe(204)
  expect((await two.request('GET', '/api/auth/me', { token: plaintext })).status).toBe(401)
  await client.until('(disconnect)')
  expect(client.received[0]).toMatchObject({ name: 'system:error', payload: { code: 'unauthorized' } })
})
