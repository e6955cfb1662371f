import type { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { ownAddresses } from './own-addresses.ts'

const interfaces = {
  lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }],
  eth0: [
    { address: '192.168.1.5', family: 'IPv4', internal: false },
    { address: 'fe80::1', family: 'IPv6', internal: false },
    { address: '2001:db8::5', family: 'IPv6', internal: false },
  ],
} as unknown as ReturnType<typeof networkInterfaces>

test.each([
  ['127.0.0.1', 'IPv4', { url: 'http://127.0.0.1:8020', elsewhere: null }],
  ['::1', 'IPv6', { url: 'http://[::1]:8020', elsewhere: null }],
  ['0.0.0.0', 'IPv4', { url: 'http://localhost:8020', elsewhere: ['http://192.168.1.5:8020'] }],
  ['::', 'IPv6', { url: 'http://localhost:8020', elsewhere: ['http://192.168.1.5:8020', 'http://[2001:db8::5]:8020'] }],
])('%s can be asked here, and elsewhere', (address, family, found) => {
  expect(ownAddresses({ address, family, port: 8020 }, interfaces)).toEqual(found)
})
