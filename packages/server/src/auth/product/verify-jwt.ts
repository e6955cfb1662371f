import { isAgentError } from '@parley/protocol'
import { subjectSchema } from '@parley/protocol/schemas'
import { isTextDeeper } from '@parley/protocol/wire'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { SignInRules } from './sign-in-rules.ts'
import type { SigningKeys } from './signing-key.ts'

/** What a good token says. Times are seconds since 1970. */
export type Claims = {
  subject: string
  /** What people of the account see. */
  display_name: string | undefined
  iat: number
  nbf: number
  exp: number
  /** What it was signed with. */
  key_id: string
}

/** Why a token is none, for the operator's log alone; `given` is what it says there. */
export type Problem = {
  code: 'form' | 'algorithm' | 'key' | 'signature' | 'claim' | 'time' | 'life' | 'subject' | 'revoked'
  given: string
}

export class JwtProblem extends Error {
  readonly problem: Problem

  constructor(code: Problem['code'], given = '') {
    super(code)
    this.problem = { code, given }
  }
}

/** Checks a text that looks like a JWT. Throws a `JwtProblem`, or what the keys throw. */
export async function verifyJwt(token: string, rules: SignInRules, keys: SigningKeys): Promise<Claims> {
  demandPlain(token)
  const { jwtVerify } = await import('jose')
  let key_id = ''
  // A header is what somebody wrote: jose has looked at `alg` alone.
  const findKey = async ({ alg = '', kid }: { alg?: string; kid?: unknown }) => {
    if (kid !== undefined && typeof kid !== 'string') throw new JwtProblem('form')
    const found = await keys.find({ alg, kid })
    if (!found) throw new JwtProblem('key', kid)
    key_id = found.id
    return found.key
  }
  const { payload } = await jwtVerify(token, findKey, joseOptions(rules)).catch((error: unknown) => {
    throw isAgentError(error) || error instanceof JwtProblem ? error : problemOf(error as JoseError)
  })
  return claimsOf(payload, key_id, rules)
}

/** Whether a token that was good once is now. */
export function isInTime({ iat, nbf, exp }: Claims, { clockSkewSeconds: skew, now }: SignInRules): boolean {
  const seconds = now() / 1000
  return iat <= seconds + skew && nbf <= seconds + skew && exp > seconds - skew
}

function joseOptions({ algorithms, issuer, audience, clockSkewSeconds, now }: SignInRules): JWTVerifyOptions {
  return {
    algorithms: [...algorithms],
    issuer,
    audience,
    requiredClaims: ['iat', 'exp'],
    clockTolerance: clockSkewSeconds,
    currentDate: new Date(now()),
  }
}

/** One spelling for one token: base64 has several for the same bytes. And nothing that nests to hurt. */
export function demandPlain(token: string): void {
  const parts = token.split('.')
  const texts = parts.map((part) => Buffer.from(part, 'base64url'))
  if (!texts.every((bytes, at) => bytes.toString('base64url') === parts[at])) throw new JwtProblem('form')
  if (texts.slice(0, 2).some((bytes) => isTextDeeper(bytes.toString()))) throw new JwtProblem('form')
}

function claimsOf(payload: JWTPayload, key_id: string, rules: SignInRules): Claims {
  const { iat = Infinity, exp = Infinity, nbf = -Infinity } = payload
  // Written so that what is no number fails it too.
  if (!(exp - iat <= rules.maxAgeSeconds)) throw new JwtProblem('life', String(exp - iat))
  const subject = subjectSchema.safeParse(Object.hasOwn(payload, rules.subject) ? payload[rules.subject] : undefined)
  if (!subject.success) throw new JwtProblem('subject')
  const display_name = subjectSchema.safeParse(payload['name']).data
  const claims = { subject: subject.data, display_name, iat, nbf, exp, key_id }
  if (!isInTime(claims, rules)) throw new JwtProblem('time', 'iat')
  return claims
}

type JoseError = Error & { code?: string; claim?: string; payload?: JWTPayload }

function problemOf({ code, claim = '', payload }: JoseError): JwtProblem {
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return new JwtProblem('algorithm')
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return new JwtProblem('signature')
  if (['exp', 'nbf', 'iat'].includes(claim)) return new JwtProblem('time', claim)
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return new JwtProblem('claim', `${claim} ${JSON.stringify(payload?.[claim])}`)
  return new JwtProblem('form')
}
