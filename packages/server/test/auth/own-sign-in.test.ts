import type { Identity } from '@parley/protocol/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STORES, World } from '../wire/world.ts'
import {
  AUDIENCE,
  claimsOf,
  ISSUER,
  makeKey,
  type Product,
  type ProductKey,
  SECRET,
  signWithSecret,
  startProduct,
} from './product.ts'
import { mint } from './visitors.ts'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const RULES = { issuer: ISSUER, audience: AUDIENCE }

describe.each(STORES)('on %s', (store) => {
  let product: Product
  let world: World
  const keys: ProductKey[] = []
  beforeAll(async () => {
    for (const alg of ALGORITHMS) keys.push(await makeKey(alg, `key of ${alg}`))
    product = await startProduct(keys.map(({ jwk }) => jwk))
    world = await World.open(store, { visitors: { ...RULES, jwks: product.url, scopes: ['files', 'chat'] } })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await product?.[Symbol.asyncDispose]()
  })
  const me = (token: string) => world.rest<Identity & { code?: string }>('GET', '/api/auth/me', { token })

  test.each(ALGORITHMS)('[W12.12.1] a token that the product signed with %s is a visitor’s', async (alg) => {
    const token = await keys[ALGORITHMS.indexOf(alg)]!.sign(claimsOf(`anna ${alg}`, { name: 'Anna' }))
    const { status, body } = await me(token)
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        subject: `anna ${alg}`,
        username: `anna ${alg}`,
        display_name: 'Anna',
        scopes: ['chat', 'files'],
      }),
    ])
    // The same visitor as one with a token of ours, and no more than a visitor.
    const ours = await mint(world, `anna ${alg}`)
    expect(ours.user_id).toBe(body.id)
    for (const path of ['/api/user/api-keys', '/api/auth/tokens', '/api/tools'])
      expect((await world.rest('GET', path, { token })).status).toBe(403)
    const session_id = await world.newSession({}, token)
    expect((await world.rest('GET', `/api/sessions/${session_id}`, { token: ours.token })).status).toBe(200)
    const other = await keys[0]!.sign(claimsOf('ben'))
    expect((await world.rest('GET', `/api/sessions/${session_id}`, { token: other })).status).toBe(404)
  })
})

test('[W12.12.1] a secret that product and server share will do', async () => {
  await using world = await World.open('sqlite', { visitors: { ...RULES, secret: SECRET } })
  const { status, body } = await world.rest('GET', '/api/auth/me', { token: await signWithSecret(claimsOf('anna')) })
  expect([status, body]).toEqual([200, expect.objectContaining({ subject: 'anna', scopes: ['chat'] })])
})
