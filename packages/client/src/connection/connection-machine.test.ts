import { expect, test } from 'vitest'
import { CONNECTION, type ConnectionEvent, type ConnectionState, nextConnection } from './connection-machine.ts'

function walk(...events: ConnectionEvent[]): { state: ConnectionState; effects: string[] } {
  const effects: string[] = []
  let state: ConnectionState = 'idle'
  for (const event of events) {
    const step = nextConnection(state, event)
    state = step.state
    if (step.effect) effects.push(step.effect)
  }
  return { state, effects }
}

test('[WR-75] the first emit connects', () => {
  expect(walk('emit')).toEqual({ state: 'connecting', effects: ['open'] })
})

test('[W14.2] after disconnect() an emit does not connect, connect() does', () => {
  expect(walk('want', 'opened', 'leave', 'emit')).toEqual({ state: 'closed', effects: ['open', 'close'] })
  expect(walk('want', 'opened', 'leave', 'emit', 'want').effects).toEqual(['open', 'close', 'open'])
})

test('a lost connection comes back without anybody asking', () => {
  expect(walk('want', 'opened', 'lost', 'failed', 'failed', 'opened')).toEqual({
    state: 'connected',
    effects: ['open'],
  })
})

test('[W2.2] a refused credential is not tried again by itself, only when asked to', () => {
  expect(walk('want', 'denied', 'failed', 'emit', 'lost').state).toBe('refused')
  expect(walk('want', 'denied', 'want').state).toBe('connecting')
})

test('[W2.2] a revoked key hears the reason, then is disconnected, and stays refused', () => {
  expect(walk('want', 'opened', 'denied', 'dismissed')).toEqual({ state: 'refused', effects: ['open', 'refresh'] })
})

test('a server that ends the connection without a reason is asked again after a moment', () => {
  expect(walk('want', 'opened', 'dismissed')).toEqual({ state: 'reconnecting', effects: ['open', 'reopen'] })
})

test('a spare connection is closed, and opens again with the next need', () => {
  expect(walk('want', 'opened', 'spare')).toEqual({ state: 'idle', effects: ['open', 'close'] })
  expect(walk('want', 'opened', 'spare', 'emit').state).toBe('connecting')
})

test.each(Object.keys(CONNECTION) as ConnectionState[])('%s: disconnect() always ends in closed', (state) => {
  expect(nextConnection(state, 'leave').state).toBe('closed')
})
