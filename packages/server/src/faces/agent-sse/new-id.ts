import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** At least 128 random bits, whatever the remainder favours. */
const LENGTH = 24

/** [S2.0.1] An id of ours, where the client brings none. */
export function newId(prefix: 'session' | 'msg'): string {
  return `${prefix}_${Array.from(randomBytes(LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('')}`
}
