import { expect, test } from 'vitest'
import { checkOrigins, hostOrigins, makeEnvelope, readEnvelope } from './bridge-envelope.ts'

const envelope = { __bladeBridge: true, direction: 'host-to-agent', action: 'addContext', payload: 1 }

test('[W14.7] an envelope is read in its direction only', () => {
  expect(readEnvelope(envelope, 'host-to-agent')).toEqual({ action: 'addContext', payload: 1, meta: {} })
  expect(readEnvelope(envelope, 'agent-to-host')).toBe(null)
})

test.each([
  null,
  'addContext',
  7,
  {},
  { ...envelope, __bladeBridge: 'yes' },
  { ...envelope, action: '' },
  { ...envelope, action: {} },
])('[W14.7] %j is no envelope', (data) => {
  expect(readEnvelope(data, 'host-to-agent')).toBe(null)
})

test('[W14.7] origins are taken with or without the slash', () => {
  expect([...checkOrigins(['https://a.example', 'http://localhost:3000/'])]).toEqual([
    'https://a.example',
    'http://localhost:3000',
  ])
})

test.each([
  '*',
  '',
  'null',
  'a.example',
  'https://a.example/path',
  'https://*.example',
  'file:///x',
  'https://a.example:443',
])('[W14.7] "%s" is refused as an origin', (origin) => {
  expect(() => checkOrigins([origin])).toThrow('allowedOrigins')
})

test('[W14.7] what is made is read again, by the other side only', () => {
  const made = makeEnvelope(
    'agent-to-host',
    { action: 'map.show', payload: { at: 1 }, meta: { toolCallId: 'tc_1' } },
    7,
  )
  const expected = { action: 'map.show', payload: { at: 1 }, meta: { toolCallId: 'tc_1', timestamp: 7 } }
  expect(readEnvelope(made, 'agent-to-host')).toEqual(expected)
  expect(readEnvelope(made, 'host-to-agent')).toBe(null)
})

test.each([
  [null, undefined, ['https://a.example', 'https://b.example']],
  [null, 'https://b.example', ['https://b.example']],
  [null, 'https://evil.example', []],
  ['https://a.example', 'https://b.example', ['https://a.example']],
])('[W14.7] heard %s, around %s: told are %j, and never everybody', (heard, parent, expected) => {
  expect(hostOrigins(new Set(['https://a.example', 'https://b.example']), heard, parent)).toEqual(expected)
})
