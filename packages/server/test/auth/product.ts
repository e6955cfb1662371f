import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { type Site, startSite } from '../egress/site.ts'

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
