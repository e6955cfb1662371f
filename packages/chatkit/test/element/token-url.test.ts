import { expect, test } from 'vitest'
import { fetchToken, readToken, usableMs } from '../../src/element/token-url.ts'
import { json, startStandIn } from '../stand-in.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000

test.each([
  ['tok_1', 'text/plain', { token: 'tok_1', expiresAt: undefined }],
  ['Bearer tok_1', 'text/plain', { token: 'Bearer tok_1', expiresAt: undefined }],
  ['{"token":"tok_1"}', 'application/json', { token: 'tok_1', expiresAt: undefined }],
  ['{"token":"t","expires_in":3600}', 'application/json', { token: 't', expiresAt: NOW + HOUR }],
  ['{"token":"t","expires_at":"2026-01-01T01:00:00Z"}', 'text/plain', { token: 't', expiresAt: NOW + HOUR }],
  ['{"token":"t","expires_at":1767229200}', 'application/json', { token: 't', expiresAt: NOW + HOUR }],
  ['{"token":"t","expires_at":"soon"}', 'application/json', { token: 't', expiresAt: undefined }],
])('[K10] %s as %s is a token', (text, type, expected) => {
  expect(readToken(text, type, NOW)).toEqual(expected)
})

test.each([
  ['', 'text/plain'],
  ['<!doctype html><form>', 'text/html'],
  ['two\nlines', 'text/plain'],
  ['{"token":7}', 'application/json'],
  ['{"tok', 'application/json'],
  ['null', 'application/json'],
  ['x'.repeat(9000), 'text/plain'],
])('[K10] %s as %s is none', (text, type) => {
  expect(readToken(text, type, NOW)).toBeUndefined()
})

test.each([
  [undefined, undefined],
  [NOW + HOUR, HOUR - 60_000],
  [NOW + 60_000, 54_000],
  [NOW + 1_000, 5_000],
  [NOW + 365 * 24 * HOUR, 24 * HOUR],
])('[K10] a token that ends at %s is replaced after %s ms', (expiresAt, expected) => {
  expect(usableMs({ token: 't', expiresAt }, NOW)).toBe(expected)
})

test('[K10] the address is asked with POST, and with GET where only that is there', async () => {
  await using site = await startStandIn(({ method }, response) =>
    method === 'GET' ? json(response, 200, { token: 'tok_1' }) : json(response, 405, {}),
  )
  expect(await fetchToken(`${site.url}/token`, AbortSignal.timeout(5000))).toMatchObject({ token: 'tok_1' })
  expect(site.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
})

test('[K10] a refusal says which address and what it answered', async () => {
  await using site = await startStandIn((_, response) => json(response, 500, {}))
  await expect(fetchToken(`${site.url}/token`, AbortSignal.timeout(5000))).rejects.toThrow(
    '/token answered with status 500',
  )
})
