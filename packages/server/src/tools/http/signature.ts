import { createHmac, timingSafeEqual } from 'node:crypto'

/** What is signed: who it is for, when, and every byte of it. */
export type Signed = { id: string; seconds: number; body: string | Uint8Array }

/** How far a sender's clock may be from ours. */
export const TOLERANCE_SECONDS = 300
/** A sender that changes its secret signs with both; nobody has more. */
const MAX_SIGNATURES = 8
const PREFIX = 'whsec_'

/** The headers of Standard Webhooks, so that libraries for it can be used on the other side. */
export function signedHeaders(secret: string, signed: Signed): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.seconds),
    'webhook-signature': `v1,${signatureOf(secret, signed)}`,
  }
}

/** Whether one of the signatures in the header fits. Takes as long for one that nearly does. */
export function isSignedWith(secret: string, signed: Signed, header: string): boolean {
  const wanted = Buffer.from(signatureOf(secret, signed))
  return header
    .split(' ', MAX_SIGNATURES)
    .map((given) => Buffer.from(given.startsWith('v1,') ? given.slice(3) : ''))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted))
}

/** The bytes that a secret stands for; `undefined` when it says that it is base64 and is not. */
export function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return Buffer.from(secret)
  const text = secret.slice(PREFIX.length)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}

function signatureOf(secret: string, { id, seconds, body }: Signed): string {
  return createHmac('sha256', keyOf(secret)!).update(`${id}.${seconds}.`).update(body).digest('base64')
}
