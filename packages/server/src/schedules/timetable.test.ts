import { Cron } from 'croner'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLocalTime } from './local-time.ts'
import { planSlots } from './plan-slots.ts'
import { openTimetable, slotsBetween } from './timetable.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ZONES = ['UTC', 'America/New_York', 'Asia/Shanghai', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu']
const field = (from: number, to: number, step: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: from, max: to }).map(String),
    fc.integer({ min: 2, max: step }).map((by) => `*/${by}`),
    fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to })).map((both) => both.join(',')),
  )
const CRONS = fc
  .tuple(field(0, 59, 30), field(0, 23, 12), field(1, 28, 14), field(1, 12, 6), field(0, 6, 3))
  .map((fields) => fields.join(' '))
const TIMES = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2031-01-01') })
const iso = (slot: number) => new Date(slot).toISOString()

test('[W10.19] slots are whole minutes, each later than the one before, in any time zone', () => {
  fc.assert(
    fc.property(CRONS, fc.constantFrom(...ZONES), TIMES, (cron, timezone, from) => {
      const slots = slotsBetween(openTimetable({ cron, timezone }), { from, to: Infinity }, 5)
      expect(slots.length).toBeGreaterThan(0)
      let before = from - 1
      for (const slot of slots) {
        expect(slot).toBeGreaterThan(before)
        expect(slot % MINUTE).toBe(0)
        before = slot
      }
    }),
    { numRuns: 200 },
  )
})

/** Around the changes of 2026. */
const CHANGES = [
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Europe/Paris', '2026-03-29T01:00:00Z'],
  ['Europe/Paris', '2026-10-25T01:00:00Z'],
  // By half an hour.
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
] as const
const AROUND = fc
  .tuple(field(0, 59, 30), fc.oneof(field(0, 5, 4), fc.constantFrom('1-3', '0-23', '1', '2', '3')))
  .map(([minute, hour]) => `${minute} ${hour} * * *`)

test.each(CHANGES)(
  '[W10.19] over the change of the clocks of %s at %s, whatever is due is due as the rule says',
  (timezone, at) => {
    const change = Date.parse(at)
    const { offsetAt, endOfGap, instantsOf } = openLocalTime(timezone)
    const [from, to] = [change - 4 * HOUR, change + 4 * HOUR]
    fc.assert(
      fc.property(AROUND, (cron) => {
        const pattern = new Cron(cron, { utcOffset: 0, mode: '5-part' })
        const due = new Set<number>()
        // Minute by minute, what the clocks show, and what they leave out.
        for (let instant = from; instant <= to; instant += MINUTE) {
          const shown = instant + offsetAt(instant)
          const isFirst = cron.split(' ')[1]!.startsWith('*') || instantsOf(shown)[0] === instant
          if (isFirst && pattern.match(new Date(shown))) due.add(instant)
        }
        for (let shown = from + offsetAt(from); shown <= to + offsetAt(to); shown += MINUTE)
          if (instantsOf(shown).length === 0 && !cron.split(' ')[1]!.startsWith('*') && pattern.match(new Date(shown)))
            due.add(endOfGap(shown))
        const expected = [...due].sort((a, b) => a - b).map(iso)
        expect(slotsBetween(openTimetable({ cron, timezone }), { from, to }, 1_000).map(iso)).toEqual(expected)
      }),
      { numRuns: 10 },
    )
  },
)

test('[W10.19] after any standstill every slot has one fate: missed, run now, or still to come', () => {
  const late = fc.integer({ min: 0, max: 3 * HOUR })
  fc.assert(
    fc.property(CRONS, fc.constantFrom(...ZONES), fc.tuple(TIMES, late, fc.option(late)), (cron, timezone, times) => {
      const [from, lateBy, expiry] = times
      const timetable = openTimetable({ cron, timezone })
      const next_at = timetable.next(from)!
      const now = next_at + lateBy
      const expires_at = expiry === null ? null : iso(next_at + expiry)
      const { fires, missed, next } = planSlots({ cron, timezone, expires_at, next_at }, now)
      const end = expires_at === null ? now : Math.min(now, Date.parse(expires_at))
      for (const slot of slotsBetween(timetable, { from: next_at, to: end }, 200)) {
        const fates = [slot === fires, missed !== null && slot >= missed.slot && slot < missed.before]
        expect([slot, fates.filter(Boolean).length]).toEqual([slot, 1])
      }
      if (fires !== null) expect(now - fires).toBeLessThanOrEqual(5 * MINUTE)
      if (next !== null) expect(next).toBeGreaterThan(now)
      if (expires_at !== null)
        for (const slot of [fires, next]) expect(slot ?? 0).toBeLessThanOrEqual(Date.parse(expires_at))
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['30 2 8 3 *', 'America/New_York', ['2026-03-08T05:00', '2026-03-08T07:00', '2027-03-08T07:30']],
  ['15,45 2 * * *', 'America/New_York', ['2026-03-08T05:00', '2026-03-08T07:00', '2026-03-09T06:15']],
  ['15 2 * * *', 'Australia/Lord_Howe', ['2026-10-03T14:00', '2026-10-03T15:30', '2026-10-04T15:15']],
  [
    '*/30 1 * * *',
    'America/New_York',
    ['2026-11-01T04:30', '2026-11-01T05:00', '2026-11-01T05:30', '2026-11-02T06:00'],
  ],
  ['30 * * * *', 'America/New_York', ['2026-11-01T05:00', '2026-11-01T05:30', '2026-11-01T06:30', '2026-11-01T07:30']],
])(
  '[W10.19] %s in %s: once on the day without that time, once on the day that has it twice',
  (cron, timezone, [from, ...due]) => {
    const range = { from: Date.parse(`${from}Z`), to: Infinity }
    const slots = slotsBetween(openTimetable({ cron, timezone }), range, due.length)
    expect(slots.map((slot) => iso(slot).slice(0, 16))).toEqual(due)
  },
)

test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 29 2 +1#5', `${'0-59,'.repeat(15)}1 * * 2 *`, '59 23 31 12 +7'])(
  '[D7] whatever %s means, it is found or given up within a moment',
  (cron) => {
    const started = performance.now()
    openTimetable({ cron, timezone: 'America/New_York' }).next(Date.now())
    expect(performance.now() - started).toBeLessThan(1_000)
  },
)
