import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventId, parseEventId, positionOf } from './event-ids.ts'

test('[S4] an id tells the entry of the journal that it was made of, and grows with it', () => {
  const place = fc.tuple(fc.nat(2 ** 45), fc.nat(15))
  fc.assert(
    fc.property(place, place, ([a, i], [b, j]) => {
      const [first, second] = [positionOf(a, i), positionOf(b, j)]
      expect(parseEventId(eventId(1_704_067_200_000, first))).toEqual({
        at: 1_704_067_200_000,
        position: first,
        event_seq: a,
      })
      expect(first < second).toBe(a < b || (a === b && i < j))
    }),
  )
})

test('one entry never becomes more events than there are numbers for', () => {
  expect(() => positionOf(1, 16)).toThrow(RangeError)
})

test.each(['', 'evt_1_1', 'evt_1704067200000', 'evt_1704067200000_', 'evt_1704067200000_-1', 'evt_1704067200000_1e3'])(
  '[S10.6] %j is no id',
  (id) => expect(parseEventId(id)).toBeUndefined(),
)

test('[S10.6] a number that no journal reaches is no id', () => {
  expect(parseEventId('evt_1704067200000_9999999999999999')).toBeUndefined()
})
