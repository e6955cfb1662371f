import { createPublicKey } from 'node:crypto'
import type { Scope } from '@parley/protocol/rest'
import { algorithmsOf } from './signing-key.ts'
import { type VisitorsOptions, visitorsSchema } from './visitors-options.ts'

/** How a product's tokens are judged, with every default filled in. */
export type SignInRules = {
  issuer: string
  audience: string
  subject: string
  algorithms: readonly string[]
  scopes: readonly Scope[]
  clockSkewSeconds: number
  maxAgeSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
}

const FOR_KEYS = ['RS256', 'PS256', 'ES256', 'EdDSA']

/** Throws for what cannot be meant: a program that starts the server brings options that no file was read from. */
export function signInRules(given: VisitorsOptions, now: () => number): SignInRules {
  const options = visitorsSchema.parse(given)
  const {
    issuer,
    audience,
    subject = 'sub',
    scopes = ['chat'],
    clockSkewSeconds = 60,
    maxAgeSeconds = 86_400,
  } = options
  const { algorithms = usualAlgorithms(options) } = options
  const sorted = [...new Set(scopes)].sort()
  return { issuer, audience, subject, algorithms, scopes: sorted, clockSkewSeconds, maxAgeSeconds, now }
}

/** Those of the one key that there is; of many keys the usual ones. */
function usualAlgorithms({ secret, publicKey }: VisitorsOptions): readonly string[] {
  if (secret !== undefined) return ['HS256']
  return publicKey === undefined ? FOR_KEYS : algorithmsOf(createPublicKey(publicKey))
}
