import { timingSafeEqual } from 'node:crypto'
import { sha256 } from '../auth/tools.ts'

const ID_BYTES = 12
const SECRET_BYTES = 24

/** `share_<id part>_<secret>`: the id part finds the row, the 192 random bits prove the rest. */
export function newShareToken(randomBytes: (size: number) => Buffer): { id: string; token: string; hash: string } {
  const id = `share_${randomBytes(ID_BYTES).toString('hex')}`
  const token = `${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { id, token, hash: sha256(token) }
}

/** Of a token, or of an id itself; `undefined` for what can be neither. */
export function shareIdOf(text: string): string | undefined {
  return /^(share_[0-9a-f]{24})(?:_[\w-]{32})?$/.exec(text)?.[1]
}

export function isTokenOf(hash: string, token: string): boolean {
  const given = Buffer.from(sha256(token))
  return hash.length === given.length && timingSafeEqual(Buffer.from(hash), given)
}
