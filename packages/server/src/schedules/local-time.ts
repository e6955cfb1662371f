const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * The clocks of a time zone. What they show is a number like any time: the milliseconds since 1970 at which clocks in UTC
 * show the same.
 */
export type LocalTime = {
  /** What clocks show less the instant itself. */
  offsetAt: (instant: number) => number
  /** The instants at which clocks show this, the first first: mostly one; two, where clocks go back; none, in a gap. */
  instantsOf: (shown: number) => number[]
  /** The end of the gap that this time lies in. */
  endOfGap: (shown: number) => number
}

/** Throws a `RangeError` for a time zone that is none. */
export function openLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (instant: number): number => {
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(instant)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
  }
  /** A day before and a day after: clocks are changed at most once in between. */
  const offsetsAround = (shown: number) => [offsetAt(shown - DAY), offsetAt(shown + DAY)] as const
  return {
    offsetAt,
    instantsOf(shown) {
      const instants = new Set(offsetsAround(shown).map((offset) => shown - offset))
      return [...instants].filter((instant) => instant + offsetAt(instant) === shown).sort((a, b) => a - b)
    },
    endOfGap(shown) {
      const [before, after] = offsetsAround(shown)
      let [inside, outside] = [shown - after, shown - before]
      while (outside - inside > MINUTE) {
        const middle = inside + Math.ceil((outside - inside) / 2 / MINUTE) * MINUTE
        if (offsetAt(middle) === before) inside = middle
        else outside = middle
      }
      return outside
    },
  }
}
