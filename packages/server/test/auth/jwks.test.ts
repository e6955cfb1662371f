import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { JwksTimes } from '../../src/auth/product/jwks.ts'
import { startSite } from '../egress/site.ts'
import { World } from '../wire/world.ts'
import {
  AUDIENCE,
  claimsOf,
  ISSUER,
  makeKey,
  openShop,
  type ProductKey,
  type Shop,
  startProduct,
  statusOf,
} from './product.ts'

let [old, fresh, third]: ProductKey[] = []
beforeAll(async () => {
  ;[old, fresh, third] = await Promise.all(['old', 'new', 'third'].map((kid) => makeKey('ES256', kid)))
})

const HOUR = 3_600_000
/** So that nothing is asked for but because of a token. */
const NEVER: JwksTimes = { everyMs: HOUR, againMs: HOUR }
const known = (shop: Shop) => vi.waitFor(() => expect(shop.changes.length).toBeGreaterThan(0))

test('[W12.12.4] a new key is accepted at once, and its coming ends a key that has gone, with its sockets', async () => {
  await using product = await startProduct([old!.jwk])
  await using shop = await openShop({
    visitors: { jwks: product.url },
    times: { ...NEVER, coolDownMs: 0 },
    recheckMs: 50,
  })
  await known(shop)
  const before = await old!.sign(claimsOf('anna'))
  await using client = await shop.connect({ token: before })
  product.keys = [old!.jwk, fresh!.jwk]
  expect(await statusOf(shop, await fresh!.sign(claimsOf('anna')))).toBe(200)
  // Both are the product's: nothing ends.
  expect([await statusOf(shop, before), client.socket.connected, product.requests.length]).toEqual([200, true, 2])
  product.keys = [fresh!.jwk, third!.jwk]
  expect(await statusOf(shop, await third!.sign(claimsOf('anna')))).toBe(200)
  expect(await statusOf(shop, before)).toBe(401)
  await client.until('(disconnect)')
})

test('[W12.12.4] a key that was withdrawn ends its tokens and their sockets at the next look', async () => {
  await using product = await startProduct([old!.jwk, fresh!.jwk])
  await using shop = await openShop({ visitors: { jwks: product.url }, times: { everyMs: 300 }, recheckMs: 50 })
  const [before, after] = [await old!.sign(claimsOf('anna')), await fresh!.sign(claimsOf('ben'))]
  await known(shop)
  await using his = await shop.connect({ token: after })
  await using hers = await shop.connect({ token: before })
  product.keys = [fresh!.jwk]
  await hers.until('(disconnect)')
  expect([await statusOf(shop, before), await statusOf(shop, after)]).toEqual([401, 200])
  expect(his.socket.connected).toBe(true)
  // A key by what it is: another one under the old name is another.
  const impostor = await makeKey('ES256', 'new')
  product.keys = [impostor.jwk]
  await his.until('(disconnect)')
  expect(await statusOf(shop, after)).toBe(401)
  expect(await statusOf(shop, await impostor.sign(claimsOf('ben')))).toBe(200)
})

test('[W12.12.4] [W12.12.5] invented keys do not make the server ask for each, and a true one is told to try again', async () => {
  await using product = await startProduct([old!.jwk])
  const times = { ...NEVER, coolDownMs: 4_000 }
  await using shop = await openShop({ visitors: { jwks: product.url }, times })
  await known(shop)
  const invented = await Promise.all(
    Array.from({ length: 200 }, (_, index) => old!.sign(claimsOf('anna'), { kid: `invented ${index}` })),
  )
  const answers = await Promise.all(invented.map((token) => statusOf(shop, token)))
  expect(answers.filter((status) => status !== 401 && status !== 503)).toEqual([])
  expect(product.requests.length).toBe(2)
  // One whose absence was seen is over; one that nobody asked for may be on its way.
  const asked = answers.indexOf(401)
  expect(await statusOf(shop, invented[asked]!)).toBe(401)
  product.keys = [old!.jwk, fresh!.jwk]
  const token = await fresh!.sign(claimsOf('anna'))
  const answer = await shop.request('GET', '/api/auth/me', { token })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-4]$/)])
  expect(await answer.json()).toMatchObject({ code: 'sign_in_unavailable' })
  expect([await statusOf(shop, await old!.sign(claimsOf('anna'))), product.requests.length]).toEqual([200, 2])
  await vi.waitFor(async () => expect(await statusOf(shop, token)).toBe(200), { timeout: 20_000, interval: 200 })
  expect(product.requests.length).toBe(3)
  // Those that were asked for before this answer are known to be none.
  expect(await statusOf(shop, invented.at(-1)!)).toBe(401)
})

test('[W12.12.5] a server whose product cannot be reached starts, says so, and tells visitors to try again', async () => {
  await using place = await startProduct([old!.jwk])
  const { port } = new URL(place.url)
  await place[Symbol.asyncDispose]()
  await using shop = await openShop({ visitors: { jwks: place.url }, times: { againMs: HOUR, coolDownMs: 100 } })
  await known(shop)
  expect(shop.changes).toMatchObject([{ failure: expect.stringContaining('cannot be reached'), keptMs: 0 }])
  const token = await old!.sign(claimsOf('anna'))
  const answer = await shop.request('GET', '/api/auth/me', { token })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  await expect(shop.connect({ token })).rejects.toThrow('sign_in_unavailable')
  // What is none by itself is none, and others come in.
  expect(await statusOf(shop, `${token}x`)).toBe(401)
  expect(await statusOf(shop, shop.key)).toBe(200)
  await using _back = await startProduct([old!.jwk], { port: Number(port) })
  await vi.waitFor(async () => expect(await statusOf(shop, token)).toBe(200), { timeout: 45_000, interval: 50 })
  expect(shop.changes.at(-1)).toEqual({ url: place.url, count: 1 })
})

test('[W12.12.4] known keys go on while the product does not answer, for a while', async () => {
  await using product = await startProduct([old!.jwk])
  const times = { everyMs: 200, againMs: 100, coolDownMs: 100, keepMs: 4_000 }
  await using shop = await openShop({ visitors: { jwks: product.url }, times, recheckMs: 50 })
  await known(shop)
  const token = await old!.sign(claimsOf('anna'))
  await using client = await shop.connect({ token })
  const since = performance.now()
  product.answer = (_request, response) => void response.writeHead(500).end()
  await vi.waitFor(() => expect(shop.changes.length).toBe(2))
  expect(shop.changes[1]).toMatchObject({ failure: 'It answers with 500.', keptMs: expect.any(Number) })
  expect(shop.changes[1]!.keptMs).toBeGreaterThan(0)
  expect(await statusOf(shop, token)).toBe(200)
  await client.until('(disconnect)')
  expect(performance.now() - since).toBeGreaterThan(3_000)
  expect(await statusOf(shop, token)).toBe(503)
  expect(shop.changes.slice(2)).toMatchObject([{ failure: 'It answers with 500.', keptMs: 0 }])
  product.answer = undefined
  await vi.waitFor(async () => expect(await statusOf(shop, token)).toBe(200), { timeout: 45_000, interval: 50 })
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

test.each<[string, Answer, RegExp]>([
  ['leads elsewhere', (_, response) => void response.writeHead(302, { location: '/other.json' }).end(), /redirects/],
  ['is no JSON', (_, response) => void response.end('<html>'), /no set of at most 100 keys/],
  ['has no keys', (_, response) => void response.end('{"keys":[]}'), /None of its keys can be used/],
  ['is a list', (_, response) => void response.end('[]'), /no set/],
  ['has too many keys', (_, response) => void response.end(JSON.stringify({ keys: Array(101).fill(0) })), /no set/],
  [
    'nests to hurt',
    (_, response) => void response.end(`{"keys":${'['.repeat(60_000)}${']'.repeat(60_000)}}`),
    /no set/,
  ],
  [
    'is too long',
    (_, response) => void response.end(JSON.stringify({ keys: [old!.jwk], more: ' '.repeat(200_000) })),
    /longer than 128 KiB/,
  ],
  [
    'does not end',
    (_, response) => {
      response.write('{"keys":[')
    },
    /took longer than 5 s/,
  ],
])('[W12.12.4] an answer that %s gives no keys', async (_name, answer, message) => {
  await using product = await startProduct([old!.jwk])
  product.answer = answer
  await using shop = await openShop({ visitors: { jwks: product.url }, times: NEVER })
  await vi.waitFor(() => expect(shop.changes.length).toBe(1), { timeout: 45_000 })
  expect(shop.changes[0]!.failure).toMatch(message)
  expect(product.requests.map(({ path }) => path)).toEqual(['/keys.json'])
  product.answer = undefined
  expect(await statusOf(shop, await old!.sign(claimsOf('anna')))).toBe(200)
})

const worlds: World[] = []
afterAll(async () => {
  for (const world of worlds) await world[Symbol.asyncDispose]()
})

test('[W12.12.4] the egress policy is asked: what it denies is not, and the name leads where it says', async () => {
  await using site = await startSite((_request, response) => void response.end(JSON.stringify({ keys: [old!.jwk] })))
  const jwks = site.at('keys.localhost', '/keys.json')
  const visitors = { issuer: ISSUER, audience: AUDIENCE, jwks }
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const token = await old!.sign(claimsOf('anna'))
  const open = await World.open('sqlite', { visitors }, resolve)
  worlds.push(open)
  expect((await open.rest('GET', '/api/auth/me', { token })).status).toBe(200)
  expect(site.requests.map(({ host }) => host)).toEqual([new URL(jwks).host])
  const closed = await World.open('sqlite', { visitors, egress: { deny: ['keys.localhost'] } }, resolve)
  worlds.push(closed)
  const { status, body } = await closed.rest('GET', '/api/auth/me', { token })
  expect([status, body['code']]).toEqual([503, 'sign_in_unavailable'])
  expect(site.requests.length).toBe(1)
  expect(closed.warnings.join('\n')).toMatch(
    /keys for visitors at http:\/\/keys\.localhost:\d+\/keys\.json cannot be read: keys\.localhost is denied by the configuration/,
  )
  expect(closed.warnings.join('\n')).toContain('visitors.jwks')
})
