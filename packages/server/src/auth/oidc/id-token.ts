import { isAgentError } from '@parley/protocol'
import { z } from 'zod'
import type { SigningKeys } from '../product/signing-key.ts'
import { demandPlain, JwtProblem } from '../product/verify-jwt.ts'

/** Why a sign-in failed, for the operator's log alone. */
export class OidcProblem extends Error {}

export type IdTokenRules = {
  issuer: string
  clientId: string
  /** What this sign-in began with. */
  nonce: string
  /** Milliseconds since 1970. */
  now: () => number
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const CLOCK_SKEW_SECONDS = 60
const MAX_BYTES = 32 * 1024
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

const claimsSchema = z.looseObject({ sub: z.string().min(1).max(255) })
/** What a provider says about somebody. Its shape is nobody's promise: whoever reads a claim looks at what it is. */
export type Claims = z.infer<typeof claimsSchema>

/** Checks an ID token (OpenID Connect Core, 3.1.3.7). Throws an `OidcProblem`, or what the keys throw. */
export async function verifyIdToken(token: string, rules: IdTokenRules, keys: SigningKeys): Promise<Claims> {
  if (token.length > MAX_BYTES || !FORM.test(token)) throw new OidcProblem('id token: form')
  const { issuer, clientId, nonce, now } = rules
  const { jwtVerify } = await import('jose')
  const findKey = async ({ alg = '', kid }: { alg?: string; kid?: unknown }) => {
    const found = kid === undefined || typeof kid === 'string' ? await keys.find({ alg, kid }) : undefined
    if (!found) throw new OidcProblem('id token: key')
    return found.key
  }
  try {
    demandPlain(token)
    const { payload } = await jwtVerify(token, findKey, {
      ...{ algorithms: ALGORITHMS, issuer, audience: clientId },
      requiredClaims: ['iat', 'exp', 'sub', 'nonce'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(now()),
    })
    if (payload['nonce'] !== nonce) throw new OidcProblem('id token: nonce')
    demandForUs(payload, clientId)
    return claimsSchema.parse(payload)
  } catch (error) {
    if (isAgentError(error) || error instanceof OidcProblem) throw error
    throw new OidcProblem(`id token: ${reasonOf(error as Error & { code?: string; claim?: string })}`)
  }
}

/** One that was made for several says for whom of them. */
function demandForUs({ aud, azp }: { aud?: string | string[]; azp?: unknown }, clientId: string): void {
  if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId)
    throw new OidcProblem('id token: azp')
}

function reasonOf(error: Error & { code?: string; claim?: string }): string {
  if (error instanceof JwtProblem) return error.problem.code
  return [error.code ?? error.name, error.claim].filter(Boolean).join(' ')
}
