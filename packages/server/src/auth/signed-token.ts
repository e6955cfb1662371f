import { createHmac, timingSafeEqual } from 'node:crypto'

/** `payload.signature`, both base64url: readable by anybody, made by nobody else. */
export function signToken(key: Buffer, payload: object): string {
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${body}.${signature(key, body).toString('base64url')}`
}

/** The payload, or `undefined` when the token is not one of ours. */
export function readToken(key: Buffer, token: string): unknown {
  const dot = token.indexOf('.')
  // Two parts: what has three is a JWT, and somebody else's.
  if (dot < 1 || token.includes('.', dot + 1)) return undefined
  const body = token.slice(0, dot)
  const given = Buffer.from(token.slice(dot + 1), 'base64url')
  const expected = signature(key, body)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return JSON.parse(Buffer.from(body, 'base64url').toString())
}

function signature(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
