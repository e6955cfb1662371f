import { createCipheriv, createDecipheriv } from 'node:crypto'

/** Keeps texts in the database that nobody should read there. AES-256-GCM; a changed text does not open. */
export type Seal = { seal: (text: string) => string; open: (sealed: string) => string }

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSeal(key: Buffer, randomBytes: (size: number) => Buffer): Seal {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      )
    },
  }
}
