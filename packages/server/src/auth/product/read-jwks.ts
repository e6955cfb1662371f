import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import type { Egress } from '../../egress/egress.ts'
import { algorithmsOf, keyId, type SigningKey } from './signing-key.ts'

const ANSWER_WITHIN_MS = 5_000
const MAX_BYTES = 128 * 1024
const MAX_KEYS = 100

const setSchema = z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) })

/** What makes a public key; all else is left behind, a certificate as well as a private half. */
const jwkSchema = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  n: z.string().optional(),
  e: z.string().optional(),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
})

const purposeSchema = z.object({
  kid: z.string().optional(),
  use: z.literal('sig').optional(),
  key_ops: z.array(z.string()).optional(),
  alg: z.string().optional(),
})

/** Asks for the product's keys. The operator named the address: it may be a private one, and leads nowhere else. */
export async function readJwks(
  egress: Pick<Egress, 'request'>,
  url: string,
  signal: AbortSignal,
): Promise<SigningKey[]> {
  const { body, isTruncated } = await egress.request(url, {
    trust: 'configured',
    headers: { accept: 'application/json' },
    signal,
    timeoutMs: ANSWER_WITHIN_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: 0,
    inspect({ status }) {
      if (status !== 200) throw new Error(`It answers with ${status}.`)
    },
  })
  if (isTruncated) throw new Error(`Its answer is longer than ${MAX_BYTES / 1024} KiB.`)
  const set = setSchema.safeParse(parseBoundedJson(Buffer.from(body).toString()))
  if (!set.success) throw new Error(`Its answer is no set of at most ${MAX_KEYS} keys.`)
  const keys = set.data.keys.flatMap(signingKey)
  if (keys.length === 0) throw new Error('None of its keys can be used.')
  return keys
}

/** None for a key of another kind or purpose: a set may hold those too. */
function signingKey(entry: unknown): SigningKey[] {
  const [jwk, purpose] = [jwkSchema.safeParse(entry), purposeSchema.safeParse(entry)]
  if (!jwk.success || !purpose.success) return []
  const { kid, key_ops = ['verify'], alg } = purpose.data
  if (!key_ops.includes('verify')) return []
  try {
    const key = createPublicKey({ key: jwk.data as JsonWebKey, format: 'jwk' })
    const algorithms = algorithmsOf(key).filter((one) => alg === undefined || one === alg)
    return algorithms.length === 0 ? [] : [{ id: keyId(key), kid, key, algorithms }]
  } catch {
    return []
  }
}
