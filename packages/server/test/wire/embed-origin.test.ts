import { request as httpRequest } from 'node:http'
import type { EmbedOrigin } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { PageVisits } from '../../src/http/page-visits.ts'
import { OWNER_KEY, World } from './world.ts'

const SHOP = 'https://shop.example'
const OPTIONS = { allowedOrigins: [SHOP] }
const OWN = { authorization: `Bearer ${OWNER_KEY}` }

/** With headers that `fetch` would not send. */
function ask(world: World, path: string, { method = 'GET', ...headers }: Record<string, string>) {
  return new Promise<number>((resolve, reject) => {
    const request = httpRequest(new URL(path, world.url), { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    request.on('error', reject).end()
  })
}

async function originOf(world: World, origin: string) {
  const { status, body } = await world.rest('GET', `/api/embed/origin?origin=${encodeURIComponent(origin)}`, {})
  expect(status).toBe(200)
  return body as EmbedOrigin
}

test.each([
  [SHOP, { allowed: true, may_frame: true }],
  ['https://shop.example:8443', { allowed: false, may_frame: false }],
  ['https://other.example', { allowed: false, may_frame: false }],
  ['http://localhost:5173', { allowed: true, may_frame: false }],
])('[W12.8] the owner is told whether pages of %s are let in', async (origin, told) => {
  await using world = await World.open('sqlite', OPTIONS)
  expect(await originOf(world, origin)).toEqual({ origin, ...told, allowed_origins: [SHOP], first_visit_at: null })
  const verdict = await ask(world, '/api/auth/me', { ...OWN, origin })
  expect(verdict, 'and that is what happens').toBe(told.allowed ? 200 : 403)
  expect(world.warnings.join()).toContain(told.allowed ? '' : origin)
})

test('[W12.8] the first visit from an origin is told, by request or frame; asking, preflights and refusals are none', async () => {
  await using world = await World.open('sqlite', OPTIONS)
  const preflight = { method: 'OPTIONS', origin: SHOP, 'access-control-request-method': 'GET' }
  expect(await ask(world, '/api/sessions', preflight)).toBe(204)
  expect(await ask(world, '/api/version', { origin: 'https://other.example' })).toBe(403)
  const framed = { 'sec-fetch-dest': 'iframe', referer: 'https://other.example/' }
  expect(await ask(world, '/chat', framed)).toBe(200)
  for (const origin of [SHOP, 'https://other.example'])
    expect(await originOf(world, origin)).toMatchObject({ first_visit_at: null })
  expect(await ask(world, '/api/version', { origin: SHOP })).toBe(200)
  const { first_visit_at } = await originOf(world, SHOP)
  expect(Date.parse(first_visit_at!)).toBeLessThanOrEqual(Date.now())
  expect(await ask(world, '/api/version', { origin: SHOP })).toBe(200)
  expect(await originOf(world, SHOP)).toMatchObject({ first_visit_at })

  await using other = await World.open('sqlite', OPTIONS)
  expect(await ask(other, '/chat', { ...framed, referer: `${SHOP}/help?private=1` })).toBe(200)
  expect((await originOf(other, SHOP)).first_visit_at).not.toBeNull()
})

test.each(['shop.example', 'https://shop.example/path', 'https://a@shop.example', 'null', 'ftp://shop.example', ''])(
  '[W12.8] %j is no origin, and 422',
  async (origin) => {
    await using world = await World.open('sqlite', OPTIONS)
    expect(await world.rest('GET', `/api/embed/origin?origin=${encodeURIComponent(origin)}`, {})).toMatchObject({
      status: 422,
    })
  },
)

test('visits take no more room than that of two hundred origins', () => {
  const visits = new PageVisits(() => 'now')
  for (let port = 0; port < 1_000; port++) visits.saw(`http://localhost:${port}`)
  const kept = Array.from({ length: 1_000 }, (_, port) => visits.firstOf(`http://localhost:${port}`))
  expect(kept.filter(Boolean)).toHaveLength(200)
  expect(kept.at(-1)).toBe('now')
})
