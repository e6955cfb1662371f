import { createPublicKey } from 'node:crypto'
import { scopeSchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import { algorithmsOf, KEY_ALGORITHMS, SECRET_ALGORITHMS, SECRET_BYTES } from './signing-key.ts'

const name = (error: string) => z.string(error).min(1, error).max(1_000)

/**
 * The product's own sign-in: its JWTs are accepted as its visitors' tokens, beside those that `POST /api/auth/tokens`
 * makes. Exactly one of `jwks`, `publicKey` and `secret` says how they are signed.
 */
export const visitorsSchema = z
  .strictObject({
    /** Where the product publishes its public keys: `https://…`, on this machine also `http://`. */
    jwks: z.string().refine(isKeyAddress, 'must be an https address; http only on this machine').optional(),
    /** The product's public key, as PEM. Another one needs a restart: with `jwks` it does not. */
    publicKey: z.string().optional(),
    /** A secret that product and server share, at least 32 bytes. Whoever has it can be any visitor. */
    secret: z.string().optional(),
    /** `iss` of the tokens. */
    issuer: name('must be what your product puts into "iss" of its tokens'),
    /** `aud` of the tokens. */
    audience: name(
      'must be what your product puts into "aud" of tokens for this server; else one for any other service would do',
    ),
    /** Which claim is the product's own id of a visitor. Default `sub`. */
    subject: name('must be the name of a claim').optional(),
    /** Default RS256, PS256, ES256 and EdDSA for keys, those that fit it for one key, HS256 for a secret. */
    algorithms: z.array(z.string()).min(1, 'must name one, or be left out').optional(),
    /** What such visitors may do. Default `chat` alone, as for tokens that the server makes. */
    scopes: z.array(scopeSchema).min(1).optional(),
    /** How far the product's clock may be from this server's. Default 60. */
    clockSkewSeconds: z.int().min(0).max(300).optional(),
    /** A token that was made to live longer is refused. Default 86 400, a day. */
    maxAgeSeconds: z.int().min(60).max(2_592_000).optional(),
  })
  .superRefine((options, context) => {
    for (const [option, message] of problemsOf(options)) context.addIssue({ code: 'custom', path: [option], message })
  })

export type VisitorsOptions = z.infer<typeof visitorsSchema>

type Problem = [option: keyof VisitorsOptions, message: string]

function* problemsOf({ jwks, publicKey, secret, algorithms = [] }: VisitorsOptions): Generator<Problem> {
  const given = Object.entries({ jwks, publicKey, secret }).filter(([, value]) => value !== undefined)
  const names = given.map(([option]) => option)
  if (names.length === 0) yield ['jwks', 'is missing; or say publicKey, or secret: how are the tokens signed?']
  if (names.length > 1) yield [names[1] as 'secret', `cannot be said beside ${names[0]}: exactly one of them counts`]
  if (names.length !== 1) return
  if (algorithms.some((one) => one.toLowerCase() === 'none'))
    return yield ['algorithms', '"none" is no algorithm: anybody could be anybody']
  if (secret !== undefined) yield* problemsOfSecret(secret, algorithms)
  else yield* problemsOfKeys(publicKey, algorithms)
}

function* problemsOfSecret(secret: string, algorithms: readonly string[]): Generator<Problem> {
  for (const one of algorithms)
    if (!(one in SECRET_BYTES)) yield ['algorithms', unfit(one, 'secret', SECRET_ALGORITHMS)]
  const needed = Math.max(...[...algorithms, 'HS256'].map((one) => SECRET_BYTES[one] ?? 0))
  if (Buffer.byteLength(secret) < needed) yield ['secret', `must have at least ${needed} bytes, or it can be guessed`]
}

function* problemsOfKeys(publicKey: string | undefined, algorithms: readonly string[]): Generator<Problem> {
  const usable = publicKey === undefined ? KEY_ALGORITHMS : algorithmsOfPem(publicKey)
  if (usable.length === 0)
    return yield [
      'publicKey',
      'must be a public key as PEM ("-----BEGIN PUBLIC KEY-----"): RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519',
    ]
  const kind = publicKey === undefined ? 'jwks' : 'publicKey'
  for (const one of algorithms) if (!usable.includes(one)) yield ['algorithms', unfit(one, kind, usable)]
}

function unfit(algorithm: string, kind: string, usable: readonly string[]): string {
  return `${algorithm} does not go with ${kind}: there, it is some of ${usable.join(', ')}`
}

/** None for what is no public key. A private one would do, and does not belong into a configuration of others. */
function algorithmsOfPem(pem: string): readonly string[] {
  try {
    return pem.includes('PRIVATE KEY') ? [] : algorithmsOf(createPublicKey(pem))
  } catch {
    return []
  }
}

/** `https`, and on this machine also `http`; without a name or password in it. */
export function isKeyAddress(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))
}

function isThisMachine(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
