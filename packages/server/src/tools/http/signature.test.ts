import { expect, test } from 'vitest'
import { isSignedWith, keyOf, signedHeaders } from './signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1614265330, body: '{"test": 2432232314}' }
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('[W12.11.2] a request is signed as the published example of Standard Webhooks is', () => {
  expect(signedHeaders(secret, signed)).toEqual({
    'webhook-id': signed.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  })
})

test('[W12.11.2] one good signature among several is enough, as when a secret is changed', () => {
  expect(isSignedWith(secret, signed, `v1,AAAA v1a,xyz ${signature}`)).toBe(true)
  expect(
    isSignedWith('a text of sixteen', signed, signedHeaders('a text of sixteen', signed)['webhook-signature']!),
  ).toBe(true)
})

test.each([
  ['another id', { ...signed, id: 'msg_other' }, signature],
  ['another time', { ...signed, seconds: signed.seconds + 1 }, signature],
  ['another body', { ...signed, body: '{"test": 2432232315}' }, signature],
  ['no version', signed, signature.slice(3)],
  ['another version', signed, signature.replace('v1', 'v2')],
  ['nothing', signed, ''],
  ['half of it', signed, signature.slice(0, 20)],
  ['behind more than anybody sends', signed, `${'v1,AAAA '.repeat(8)}${signature}`],
])('[W12.11.2] %s is not signed', (_what, what, header) => {
  expect(isSignedWith(secret, what, header)).toBe(false)
})

test('[W12.11.2] a secret that says it is base64 must be', () => {
  expect(keyOf('whsec_not base64!')).toBeUndefined()
  expect(keyOf('whsec_QUJD')?.toString()).toBe('ABC')
  expect(keyOf('ABC')?.toString()).toBe('ABC')
})
