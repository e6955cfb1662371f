import { createHash, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'

/** One key that a product signs with, and what may be signed with it: an algorithm never chooses a key that is not its own. */
export type SigningKey = { id: string; kid?: string | undefined; key: KeyObject; algorithms: readonly string[] }

/** What a token says about how it was signed. */
export type TokenHeader = { alg: string; kid: string | undefined }

export type SigningKeys = Disposable & {
  /** The one key that fits; `undefined` when none does. Throws `sign_in_unavailable` when that cannot be known just now. */
  find(header: TokenHeader): Promise<SigningKey | undefined>
  /** Whether a key that was found before is still the product's. */
  has(id: string): boolean
}

const RSA = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512']
const EDWARDS = ['EdDSA', 'Ed25519']
const CURVES: Record<string, string[]> = { prime256v1: ['ES256'], secp384r1: ['ES384'], secp521r1: ['ES512'] }
const MIN_RSA_BITS = 2_048

/** As long as what the hash gives, at least. */
export const SECRET_BYTES: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 }
export const SECRET_ALGORITHMS: readonly string[] = Object.keys(SECRET_BYTES)
export const KEY_ALGORITHMS: readonly string[] = [...RSA, ...Object.values(CURVES).flat(), ...EDWARDS]

/** Which algorithms a public key is for; none for one that is too weak or of another kind. */
export function algorithmsOf({ type, asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  if (type !== 'public') return []
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS ? [] : RSA
  if (asymmetricKeyType === 'ec') return CURVES[asymmetricKeyDetails?.namedCurve ?? ''] ?? []
  return asymmetricKeyType === 'ed25519' ? EDWARDS : []
}

/** A key by what it is, not by what somebody calls it. */
export function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** The key of a configuration that names one. It stays, and a `kid` says nothing about it. */
export function fixedKey({ publicKey, secret = '' }: { publicKey?: string; secret?: string }): SigningKeys {
  const key = publicKey === undefined ? createSecretKey(Buffer.from(secret)) : createPublicKey(publicKey)
  const algorithms = publicKey === undefined ? SECRET_ALGORITHMS : algorithmsOf(key)
  const only: SigningKey = { id: 'configured', key, algorithms }
  return {
    find: async ({ alg }) => (algorithms.includes(alg) ? only : undefined),
    has: (id) => id === only.id,
    [Symbol.dispose]() {},
  }
}
