import { expect, test } from 'vitest'
import { FailureLimit } from './failure-limit.ts'

test.each([
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['::ffff:203.0.113.7', '203.0.113.7', true],
  ['2001:db8::5', '2001:db8::6:0:1', true],
  ['2001:db8:0:0:1::', '2001:db8::ffff', true],
  ['2001:db8:0:1::5', '2001:db8:0:2::5', false],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
])('failures of %s count for %s: %s', (one, other, isSame) => {
  const limit = new FailureLimit({ now: () => 0, failures: 1 })
  limit.failed(one, 'key')
  expect(limit.waitOf(other, 'key') > 0).toBe(isSame)
  expect(limit.waitOf(one, 'code')).toBe(0)
})
