import type { CreatedToken } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { type Face, openFace } from '../face/face.ts'
import { movablePlaces } from '../store/movable-clock.ts'
import { postgresPlace } from '../store/place.ts'

async function mint(face: Face, body: object = {}): Promise<CreatedToken> {
  const answer = await face.request('POST', '/api/auth/tokens', { body: { subject: 'anna', ...body } })
  expect(answer.status).toBe(201)
  return (await answer.json()) as CreatedToken
}

const statusOf = async (face: Face, token: string) => (await face.request('GET', '/api/auth/me', { token })).status

/** A visitor's socket, and how long it took until it was sent away. */
async function connected(face: Face, token: string) {
  const client = await face.connect({ token })
  return {
    client,
    async sentAway(): Promise<number> {
      const since = performance.now()
      await client.until('(disconnect)')
      expect(client.names().slice(-2)).toEqual(['system:error', '(disconnect)'])
      expect(client.received.at(-2)).toMatchObject({ payload: { code: 'unauthorized', session_id: null } })
      return performance.now() - since
    },
  }
}

describe.each(movablePlaces)('on %s', (_name, place) => {
  test('a token that is over closes its sockets within five seconds, and opens nothing any more', async () => {
    await using where = await place()
    await using engine = await where.open()
    await using face = await openFace({ engine })
    const [short, long] = [await mint(face, { expires_in: 60 }), await mint(face, { expires_in: 3_600 })]
    const { client: other } = await connected(face, long.token)
    const { sentAway } = await connected(face, short.token)
    await where.setClock(61_000)
    expect(await statusOf(face, short.token)).toBe(401)
    await expect(face.connect({ token: short.token })).rejects.toThrow('unauthorized')
    expect(await sentAway()).toBeLessThan(5_000)
    expect([other.socket.connected, await statusOf(face, long.token)]).toEqual([true, 200])
    await other[Symbol.asyncDispose]()
  })

  test('a clock that was set back prolongs no socket, and brings no token a second life', async () => {
    await using where = await place()
    await using engine = await where.open()
    let elapsed = 0
    await using face = await openFace({ engine, recheckMs: 50, now: () => performance.now() + elapsed })
    const { token } = await mint(face, { expires_in: 60 })
    const { client, sentAway } = await connected(face, token)
    await where.setClock(-40_000)
    expect([client.socket.connected, await statusOf(face, token)]).toEqual([true, 200])
    elapsed = 61_000
    await sentAway()
    await where.setClock(-3_600_000)
    expect(await statusOf(face, token)).toBe(401)
  })

  test('revoking ends one token, all of a visitor, or all of a key; what is over is swept', async () => {
    await using where = await place()
    await using engine = await where.open()
    await using face = await openFace({ engine, recheckMs: 60_000 })
    const [one, two, ben] = [await mint(face), await mint(face), await mint(face, { subject: 'ben' })]
    const sockets = await Promise.all([one, two, ben].map(({ token }) => connected(face, token)))
    expect((await face.request('DELETE', `/api/auth/tokens/${one.id}`)).status).toBe(204)
    expect((await face.request('DELETE', `/api/auth/tokens/${one.id}`)).status).toBe(404)
    await sockets[0]!.sentAway()
    expect([await statusOf(face, one.token), await statusOf(face, two.token)]).toEqual([401, 200])
    const all = await face.request('DELETE', '/api/auth/tokens?subject=anna')
    expect(await all.json()).toEqual({ revoked: 1 })
    await sockets[1]!.sentAway()
    expect([await statusOf(face, two.token), await statusOf(face, ben.token)]).toEqual([401, 200])

    const { key, plaintext } = await face.auth.keys.create(face.auth.owner_id, 'of the shop')
    const made = (await (
      await face.request('POST', '/api/auth/tokens', { body: { subject: 'carla' }, token: plaintext })
    ).json()) as CreatedToken
    const carla = await connected(face, made.token)
    expect((await face.request('DELETE', `/api/user/api-keys/${key.id}`)).status).toBe(204)
    await carla.sentAway()
    expect([await statusOf(face, made.token), await statusOf(face, ben.token)]).toEqual([401, 200])

    await where.setClock(3_601_000)
    await mint(face, { subject: 'dora' })
    const rows = await engine.select<{ n: number }>('SELECT count(*) AS n FROM visitor_tokens', [])
    expect(rows[0]!.n).toBe(1)
    const audit = await engine.select<{ action: string; subject: string; detail: string }>(
      "SELECT action, subject, detail FROM audit WHERE action LIKE 'visitor_token.%' ORDER BY id",
      [],
    )
    expect(audit.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
      ...['anna', 'anna', 'ben'].map((name) => `visitor_token.create ${name}`),
      'visitor_token.revoke anna',
      'visitor_token.revoke anna',
      'visitor_token.create carla',
      'visitor_token.revoke carla',
      'visitor_token.create dora',
    ])
    expect(audit[0]!.subject).toBe(one.id)
  })

  test('of one visitor so many tokens are live; the oldest goes', async () => {
    await using where = await place()
    await using engine = await where.open()
    await using face = await openFace({ engine, recheckMs: 60_000 })
    const first = await mint(face)
    const { sentAway } = await connected(face, first.token)
    const second = await mint(face)
    const other = await mint(face, { subject: 'ben' })
    for (let made = 2; made < 51; made++) await mint(face)
    await sentAway()
    expect(await statusOf(face, first.token)).toBe(401)
    expect([await statusOf(face, second.token), await statusOf(face, other.token)]).toEqual([200, 200])
    const page = await (await face.request('GET', '/api/auth/tokens?subject=anna&limit=200')).json()
    expect(page).toMatchObject({ total: 50, items: { length: 50 } })
  })
})

test('a token revoked, or whose key was revoked, on one instance is over on another within five seconds', async () => {
  await using place = await postgresPlace()
  await using engineOfOne = await place.open()
  await using engineOfTwo = await place.open()
  await using one = await openFace({ engine: engineOfOne })
  await using two = await openFace({ engine: engineOfTwo })
  const [anna, ben, carla] = [
    await mint(one),
    await mint(one, { subject: 'ben' }),
    await mint(one, { subject: 'carla' }),
  ]
  const { key, plaintext } = await one.auth.keys.create(one.auth.owner_id, 'of the shop')
  const dora = await one.request('POST', '/api/auth/tokens', { body: { subject: 'dora' }, token: plaintext })
  const { token } = (await dora.json()) as CreatedToken
  const there = await Promise.all([anna.token, ben.token, token].map((text) => connected(two, text)))
  const kept = await connected(two, carla.token)
  await one.request('DELETE', `/api/auth/tokens/${anna.id}`)
  await one.request('DELETE', '/api/auth/tokens?subject=ben')
  await one.request('DELETE', `/api/user/api-keys/${key.id}`)
  for (const text of [anna.token, ben.token, token]) expect(await statusOf(two, text)).toBe(401)
  for (const { sentAway } of there) expect(await sentAway()).toBeLessThan(5_000)
  expect(kept.client.socket.connected).toBe(true)
  await kept.client[Symbol.asyncDispose]()
})

test('a stream over REST ends with the token, and its run goes on', async () => {
  await using face = await openFace({ recheckMs: 60_000 })
  const { token, id } = await mint(face)
  const created = await face.request('POST', '/api/sessions', { body: {}, token })
  const { session_id } = (await created.json()) as { session_id: string }
  const headers = { accept: 'text/event-stream' }
  const body = { message: 'hi', headless: false }
  const answer = await face.request('POST', `/api/sessions/${session_id}/chat`, { body, token, headers })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  await face.request('DELETE', `/api/auth/tokens/${id}`)
  expect(await answer.text()).toContain('"code":"unauthorized"')
  expect(face.sessions.calls.filter(({ method }) => method === 'stop')).toEqual([])
  await run.endTurn('turn_1')
  await run.end({ result: { output: 'done' } })
})
