import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `session_…`, `msg_…`: 24 digits, 142 random bits. */
export function newId(prefix: string): string {
  // 248 is a multiple of 62: every digit is as likely as any other.
  const digits = [...randomBytes(64)].filter((byte) => byte < 248).map((byte) => DIGITS[byte % 62])
  return `${prefix}_${digits.slice(0, 24).join('')}`
}
