import { request as httpRequest } from 'node:http'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { OWNER_KEY, World } from './world.ts'

test('health tells the owner more, and is no place to guess keys', async () => {
  await using world = await World.open('sqlite', { ownerKey: 'a short one' })
  const health = async (token: string) => (await world.rest('GET', '/api/health', { token })).body
  expect(await health('a short one')).toHaveProperty('details')
  for (let count = 0; count < 20; count++) expect(await health(`guess ${count}`)).toEqual({ status: 'ok' })
  const { status } = await world.rest('GET', '/api/auth/me', { token: 'one more guess' })
  expect(status).toBe(429)
})

test('a short owner key is warned of', async () => {
  await using world = await World.open('sqlite', { ownerKey: 'a short one' })
  expect(world.warnings.join()).toContain('PARLEY_OWNER_KEY has fewer than 32 characters')
  await using other = await World.open()
  expect(other.warnings.join()).not.toContain('PARLEY_OWNER_KEY')
})

describe.each(['0.0.0.0', '::'])('listening on %s', (host) => {
  const ask = (url: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(new URL('/api/auth/me', url), { headers }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      request.on('error', reject).end()
    })
  const bearer = { authorization: `Bearer ${OWNER_KEY}` }
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address

  test('the sign-in link leads somewhere, and names and origins of others are refused as ever', async () => {
    await using world = await World.open('sqlite', { host })
    const { port, hostname } = new URL(world.url)
    expect(hostname).toBe('localhost')
    expect((await fetch(world.signInUrl, { redirect: 'manual' })).status).toBe(302)
    const here = `http://127.0.0.1:${port}`
    for (const name of [`localhost:${port}`, `127.0.0.1:${port}`])
      expect(await ask(here, { ...bearer, host: name }), name).toBe(200)
    for (const name of ['evil.example', `rebound.example:${port}`, `${outside}.nip.io`, '192.0.2.1', '[2001:db8::1]'])
      expect(await ask(here, { ...bearer, host: name }), name).toBe(403)
    for (const origin of ['https://evil.example', `http://evil.example:${port}`, 'http://0.0.0.0:1', 'null'])
      expect(await ask(here, { ...bearer, host: `localhost:${port}`, origin }), origin).toBe(403)
  })

  test.runIf(outside)('it answers to the address that was asked, and to no name that leads there', async () => {
    await using world = await World.open('sqlite', { host })
    const { port } = new URL(world.url)
    const there = `http://${outside}:${port}`
    expect(world.elsewhere).toContain(there)
    expect(await ask(there, { ...bearer, host: `${outside}:${port}` })).toBe(200)
    expect(await ask(there, { ...bearer, host: `${outside}:${port}`, origin: there })).toBe(200)
    expect(
      await ask(there, { ...bearer, host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` }),
    ).toBe(403)
  })
})
