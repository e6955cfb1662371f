import { sha256, type AuthTools } from './tools.ts'

/** New keys start with it; keys with any other prefix are as good. */
const PREFIX = 'sk-blade-v2-'
const ID_BYTES = 12
const SECRET_BYTES = 32

/** `sk-blade-v2-<id part>_<secret>`: the id part finds the row, the 256 random bits prove the rest. */
export function newKey(randomBytes: AuthTools['randomBytes']): { id: string; plaintext: string } {
  const idPart = randomBytes(ID_BYTES).toString('hex')
  return { id: `key_${idPart}`, plaintext: `${PREFIX}${idPart}_${randomBytes(SECRET_BYTES).toString('base64url')}` }
}

/** Where a key that we did not make, such as `PARLEY_OWNER_KEY`, has its row. */
export function idOfForeignKey(plaintext: string): string {
  return `key_${sha256(`id:${plaintext}`).slice(0, 2 * ID_BYTES)}`
}

/** The rows in which a token may be found: by the id in its text, or as a key that we did not make. */
export function idsOf(token: string): string[] {
  const [, idPart] = /([0-9a-f]{24})_[A-Za-z0-9_-]{32,}$/.exec(token) ?? []
  return [...(idPart ? [`key_${idPart}`] : []), idOfForeignKey(token)]
}

/** Prefix, three dots, last four characters; of a short key nothing but the dots. */
export function maskKey(plaintext: string): string {
  if (plaintext.length < 16) return '...'
  const prefix = plaintext.startsWith(PREFIX) ? PREFIX : ''
  return `${prefix}...${plaintext.slice(-4)}`
}
