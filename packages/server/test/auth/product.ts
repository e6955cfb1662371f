import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { randomBytes } from 'node:crypto'
import { openAuth } from '../../src/auth/auth.ts'
import type { JwksTimes, KeysChange } from '../../src/auth/product/jwks.ts'
import type { Problem } from '../../src/auth/product/verify-jwt.ts'
import type { VisitorsOptions } from '../../src/auth/product/visitors-options.ts'
import { createEgress } from '../../src/egress/egress.ts'
import type { Engine } from '../../src/store/engine.ts'
import { openSqlite } from '../../src/store/sqlite/engine.ts'
import { type Site, startSite } from '../egress/site.ts'
import { type Face, openFace } from '../face/face.ts'

export const ISSUER = 'https://shop.example'
export const AUDIENCE = 'parley'
export const SECRET = 'a secret of the shop that has more than thirty-two bytes'

/** What a product's token says unless a test says otherwise. Times are seconds. */
export function claimsOf(subject: string, more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return { iss: ISSUER, aud: AUDIENCE, sub: subject, iat: now, exp: now + 600, ...more }
}

export function signWithSecret(payload: JWTPayload, secret = SECRET): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret))
}

export type ProductKey = {
  jwk: JWK
  privateKey: CryptoKey
  sign: (payload: JWTPayload, header?: object) => Promise<string>
}

export async function makeKey(alg: string, kid: string): Promise<ProductKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  const sign = (payload: JWTPayload, header: object = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
  return { jwk, privateKey, sign }
}

export type Product = AsyncDisposable & {
  url: string
  /** What it publishes; a test may change it, and `answer` all of it. */
  keys: JWK[]
  answer: Parameters<typeof startSite>[0] | undefined
  requests: Site['requests']
}

/** The part of a product that publishes its keys, on a real port. */
export async function startProduct(keys: JWK[], { port = 0 } = {}): Promise<Product> {
  const product: Pick<Product, 'keys' | 'answer'> = { keys, answer: undefined }
  const site = await startSite(
    (request, response) => {
      if (product.answer) return product.answer(request, response)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys: product.keys }))
    },
    { port },
  )
  return Object.assign(product, {
    url: site.at('127.0.0.1', '/keys.json'),
    requests: site.requests,
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  })
}

export type Shop = Face & { problems: Problem[]; changes: KeysChange[] }

type ShopOptions = {
  visitors: Partial<VisitorsOptions>
  engine?: Engine
  times?: JwksTimes
  recheckMs?: number
  /** Milliseconds by which the server's clock is wrong. */
  clock?: () => number
}

/** A server for a product with a sign-in of its own; who comes with a bad token may try as often as they like. */
export async function openShop({ visitors, times, clock = () => 0, ...options }: ShopOptions): Promise<Shop> {
  const problems: Problem[] = []
  const changes: KeysChange[] = []
  const engine = options.engine ?? (await openSqlite({ directory: ':memory:', now: Date.now }))
  const egress = createEgress()
  const onError = (error: unknown) => {
    throw error
  }
  const auth = await openAuth({
    ...{ engine, randomBytes, onError, now: () => Date.now() + clock() },
    secret: { key: (purpose) => Buffer.from(purpose.padEnd(32, '.')) },
    signIn: {
      options: { issuer: ISSUER, audience: AUDIENCE, ...visitors },
      ...{ egress, elapsed: () => performance.now(), ...(times && { times }) },
      onRefused: (problem) => problems.push(problem),
      onKeys: (change) => changes.push(change),
    },
  })
  const { recheckMs } = options
  const face = await openFace({ engine, auth, authFailures: 100_000, ...(recheckMs !== undefined && { recheckMs }) })
  return {
    ...face,
    problems,
    changes,
    async [Symbol.asyncDispose]() {
      await face[Symbol.asyncDispose]()
      await auth[Symbol.asyncDispose]()
      await egress[Symbol.asyncDispose]()
      if (!options.engine) await engine[Symbol.asyncDispose]()
    },
  }
}

export const statusOf = async (face: Face, token: string): Promise<number> =>
  (await face.request('GET', '/api/auth/me', { token })).status
