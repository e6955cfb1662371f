import { expect, test } from 'vitest'
import { checkOrigins, readEnvelope } from './envelope.ts'

const envelope = { __bladeBridge: true, direction: 'host-to-agent', action: 'addContext', payload: 1 }

test('[14.7] an envelope is read in its direction only', () => {
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
])('[14.7] %j is no envelope', (data) => {
  expect(readEnvelope(data, 'host-to-agent')).toBe(null)
})

test('[14.7] origins are taken with or without the slash', () => {
  expect([...checkOrigins(['https://a.example', 'http://localhost:3000/'])]).toEqual([
    'https://a.example',
    'http://localhost:3000',
  ])
})

test.each(['*', '', 'null', 'a.example', 'https://a.example/path', 'https://*.example', 'file:///x'])(
  '[14.7] "%s" is refused as an origin',
  (origin) => {
    expect(() => checkOrigins([origin])).toThrow('allowedOrigins')
  },
)
