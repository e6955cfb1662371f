import type { CreatedToken } from '@parley/protocol/rest'
import { describe, expect, test, vi } from 'vitest'
import { postgresPlace, places } from '../store/place.ts'
import { claimsOf, openShop, SECRET, type Shop, signWithSecret, statusOf } from './product.ts'

const seconds = () => Math.floor(Date.now() / 1000)

async function connected(shop: Shop, token: string) {
  const client = await shop.connect({ token })
  return {
    client,
    async sentAway(): Promise<void> {
      await client.until('(disconnect)')
      expect(client.names().slice(-2)).toEqual(['system:error', '(disconnect)'])
      expect(client.received.at(-2)).toMatchObject({ payload: { code: 'unauthorized', session_id: null } })
    },
  }
}

describe.each(places)('on %s', (_name, makePlace) => {
  test('[W12.12.6] what the product signed for a visitor before they were revoked is over, what it signs later is not', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    let ahead = 0
    await using shop = await openShop({ visitors: { secret: SECRET }, engine, recheckMs: 50, clock: () => ahead })
    const [anna, ben] = [await signWithSecret(claimsOf('anna')), await signWithSecret(claimsOf('ben'))]
    const [hers, his] = [await connected(shop, anna), await connected(shop, ben)]
    expect(hers.client.received[0]).toMatchObject({
      name: 'auth:expires',
      payload: { expires_in_ms: expect.any(Number) },
    })
    const answer = await shop.request('DELETE', '/api/auth/tokens?subject=anna')
    expect([answer.status, await answer.json()]).toEqual([200, { revoked: 0 }])
    expect(await statusOf(shop, anna)).toBe(401)
    expect(shop.problems).toMatchObject([{ code: 'revoked' }])
    await hers.sentAway()
    expect([his.client.socket.connected, await statusOf(shop, ben)]).toEqual([true, 200])
    expect(await statusOf(shop, await signWithSecret(claimsOf('anna', { iat: seconds() - 1 })))).toBe(401)
    // Also of somebody who never came before.
    await shop.request('DELETE', '/api/auth/tokens?subject=carla')
    expect(await statusOf(shop, await signWithSecret(claimsOf('carla', { iat: seconds() - 1 })))).toBe(401)
    ahead = 70_000
    for (const subject of ['anna', 'carla'])
      expect(await statusOf(shop, await signWithSecret(claimsOf(subject, { iat: seconds() + 65 })))).toBe(200)
    await his.client[Symbol.asyncDispose]()
  })

  test('[W12.12.6] a product whose clock is ahead has its tokens ended too, and one that allows no difference waits for none', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using shop = await openShop({ visitors: { secret: SECRET }, engine, recheckMs: 50 })
    const ahead = await signWithSecret(claimsOf('anna', { iat: seconds() + 55 }))
    const { sentAway } = await connected(shop, ahead)
    const unseen = await signWithSecret(claimsOf('anna', { iat: seconds() + 55, jti: 'never shown' }))
    await shop.request('DELETE', '/api/auth/tokens?subject=anna')
    expect([await statusOf(shop, ahead), await statusOf(shop, unseen)]).toEqual([401, 401])
    expect(shop.problems).toMatchObject([{ code: 'revoked' }, { code: 'revoked' }])
    await sentAway()
    await using strict = await openShop({
      visitors: { secret: SECRET, clockSkewSeconds: 0 },
      ...{ engine, clock: () => 5_000 },
    })
    expect(await statusOf(strict, await signWithSecret(claimsOf('anna', { iat: seconds() - 1 })))).toBe(401)
    expect(await statusOf(strict, await signWithSecret(claimsOf('anna', { iat: seconds() + 2 })))).toBe(200)
  })

  test('[W12.12.7] a visitor is written down once, and again for another name', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using shop = await openShop({ visitors: { secret: SECRET }, engine })
    const signIns = async () =>
      (await engine.select<{ detail: string }>("SELECT detail FROM audit WHERE action = 'auth.sign_in'", [])).length
    const first = await signWithSecret(claimsOf('anna', { name: 'Anna' }))
    for (let asked = 0; asked < 5; asked++) expect(await statusOf(shop, first)).toBe(200)
    expect(await statusOf(shop, await signWithSecret(claimsOf('anna', { jti: 'another', name: 'Anna' })))).toBe(200)
    expect(await statusOf(shop, await signWithSecret(claimsOf('anna')))).toBe(200)
    expect(await signIns()).toBe(1)
    expect(await statusOf(shop, await signWithSecret(claimsOf('anna', { name: 'Anna B.' })))).toBe(200)
    // The older token goes on, and does not bring its name back.
    expect(await statusOf(shop, first)).toBe(200)
    expect(await signIns()).toBe(2)
    const rows = await engine.select("SELECT display_name FROM users WHERE external_id = 'anna'", [])
    expect(rows).toEqual([{ display_name: 'Anna B.' }])
    // Of many who come at once for the first time, all are one.
    const many = await Promise.all(oneTo(8).map((jti) => signWithSecret(claimsOf('ben', { jti: String(jti) }))))
    const callers = await Promise.all(many.map((token) => shop.auth.authenticate(token)))
    expect(new Set(callers.map((caller) => caller!.user_id)).size).toBe(1)
  })
})

const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('[W12.12.6] revoking on one instance closes sockets of the other within five seconds, and lets nobody in there', async () => {
  await using place = await postgresPlace()
  await using engineOfOne = await place.open()
  await using engineOfTwo = await place.open()
  await using one = await openShop({ visitors: { secret: SECRET }, engine: engineOfOne })
  await using two = await openShop({ visitors: { secret: SECRET }, engine: engineOfTwo })
  const [anna, ben] = [await signWithSecret(claimsOf('anna')), await signWithSecret(claimsOf('ben'))]
  const sockets = await Promise.all([one, two].map((shop) => connected(shop, anna)))
  const kept = await connected(two, ben)
  const since = performance.now()
  expect((await one.request('DELETE', '/api/auth/tokens?subject=anna')).status).toBe(200)
  expect([await statusOf(one, anna), await statusOf(two, anna)]).toEqual([401, 401])
  await Promise.all(sockets.map(({ sentAway }) => sentAway()))
  expect(performance.now() - since).toBeLessThan(5_000)
  expect(kept.client.socket.connected).toBe(true)
  await kept.client[Symbol.asyncDispose]()
})

test('[W12.12.6] a token that is over closes its sockets within five seconds', async () => {
  await using shop = await openShop({ visitors: { secret: SECRET, clockSkewSeconds: 0 } })
  const exp = seconds() + 4
  const token = await signWithSecret(claimsOf('anna', { exp }))
  const { client, sentAway } = await connected(shop, token)
  expect(client.received[0]).toMatchObject({
    name: 'auth:expires',
    payload: { expires_at: new Date(exp * 1000).toISOString() },
  })
  await sentAway()
  expect(Date.now() - exp * 1000).toBeLessThan(5_000)
  expect(await statusOf(shop, token)).toBe(401)
})

test('[W12.12.6] a clock that was set back gives no token a second life', async () => {
  let wrong = 0
  await using shop = await openShop({ visitors: { secret: SECRET }, clock: () => wrong })
  const token = await signWithSecret(claimsOf('anna'))
  expect(await statusOf(shop, token)).toBe(200)
  wrong = 700_000
  expect(await statusOf(shop, token)).toBe(401)
  wrong = -120_000
  expect(await statusOf(shop, token)).toBe(401)
})

test('[W12.12.6] a socket goes on with the product’s next token, or with one of ours, and never with somebody else’s', async () => {
  await using shop = await openShop({ visitors: { secret: SECRET, clockSkewSeconds: 0 }, recheckMs: 50 })
  const first = await signWithSecret(claimsOf('anna', { exp: seconds() + 6 }))
  const { client, sentAway } = await connected(shop, first)
  const { id } = client.socket
  for (const [token, code] of [
    [await signWithSecret(claimsOf('ben')), 'forbidden'],
    [await signWithSecret(claimsOf('anna'), `${SECRET}!`), 'unauthorized'],
  ])
    expect(await client.ask('auth:renew', { token })).toMatchObject({ status: 'error', code })
  const long = await signWithSecret(claimsOf('anna', { more: 'x'.repeat(5_000) }))
  expect(await client.ask('auth:renew', { token: long })).toMatchObject({
    status: 'ok',
    expires_in_ms: expect.any(Number),
  })
  const answer = await shop.request('POST', '/api/auth/tokens', { body: { subject: 'anna' } })
  const ours = (await answer.json()) as CreatedToken
  expect(await client.ask('auth:renew', { token: ours.token })).toMatchObject({
    status: 'ok',
    expires_at: ours.expires_at,
  })
  await vi.waitFor(async () => expect(await statusOf(shop, first)).toBe(401), { timeout: 20_000, interval: 100 })
  expect([client.socket.connected, client.socket.id]).toEqual([true, id])
  await shop.request('DELETE', '/api/auth/tokens?subject=anna')
  await sentAway()
})

test('[W12.12.6] a stream over REST ends with the visitor’s revocation, and its run goes on', async () => {
  await using shop = await openShop({ visitors: { secret: SECRET }, recheckMs: 50 })
  const token = await signWithSecret(claimsOf('anna'))
  const created = await shop.request('POST', '/api/sessions', { body: {}, token })
  const { session_id } = (await created.json()) as { session_id: string }
  const headers = { accept: 'text/event-stream' }
  const body = { message: 'hi', headless: false }
  const answer = await shop.request('POST', `/api/sessions/${session_id}/chat`, { body, token, headers })
  const run = await shop.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  await shop.request('DELETE', '/api/auth/tokens?subject=anna')
  expect(await answer.text()).toContain('"code":"unauthorized"')
  await run.endTurn('turn_1')
  await run.end({ result: { output: 'done' } })
})

test('[W12.12.7] a token is verified once, while it is one of the ten thousand that were used last', async () => {
  await using shop = await openShop({ visitors: { secret: SECRET } })
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const first = await signWithSecret(claimsOf('anna'))
  const other = await signWithSecret(claimsOf('anna', { jti: 'other' }))
  for (let asked = 0; asked < 10; asked++) {
    expect(await statusOf(shop, first)).toBe(200)
    expect(await statusOf(shop, other)).toBe(200)
  }
  expect(verify).toHaveBeenCalledTimes(2)
  for (let made = 1; made < 10_000; made++) {
    await shop.auth.authenticate(await signWithSecret(claimsOf('anna', { jti: String(made) })))
    if (made === 5_000) await shop.auth.authenticate(other)
  }
  verify.mockClear()
  await shop.auth.authenticate(other)
  expect(verify).toHaveBeenCalledTimes(0)
  await shop.auth.authenticate(first)
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})
