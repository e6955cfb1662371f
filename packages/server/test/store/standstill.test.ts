import { expect, test } from 'vitest'
import { Standstill } from '../../src/store/standstill.ts'

test('[D3] a row has stood still since it was first seen as it is, and not at all once it has changed', () => {
  let now = 1_000
  const standstill = new Standstill(() => now)
  const look = (mark: string, ms: number) => {
    now += ms
    return standstill.look([{ key: 'row', mark }], now).get('row')
  }
  expect(look('a', 0)).toBe(0)
  expect(look('a', 400)).toBe(400)
  expect(look('a', 400)).toBe(800)
  expect(look('b', 400)).toBe(0)
  expect(look('b', 400)).toBe(400)
  expect(look('a', 400)).toBe(0)
})

test('[D3] the time that a slow database takes for its answers does not count', () => {
  let now = 0
  const standstill = new Standstill(() => now)
  now = 5_000 // asked at 0, answered at 5 000
  standstill.look([{ key: 'row', mark: 'a' }], 0)
  now = 12_000 // asked at 6 000, answered at 12 000
  expect(standstill.look([{ key: 'row', mark: 'a' }], 6_000).get('row')).toBe(1_000)
})

test('[D3] a row that went and came back is a new one', () => {
  let now = 0
  const standstill = new Standstill(() => now)
  standstill.look([{ key: 'row', mark: 'a' }], 0)
  now = 400
  expect(standstill.look([], now).size).toBe(0)
  now = 800
  expect(standstill.look([{ key: 'row', mark: 'a' }], now).get('row')).toBe(0)
})
