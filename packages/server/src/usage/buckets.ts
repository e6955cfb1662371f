import { AgentError } from '@parley/protocol'

/** The offsets of all time zones are whole quarters of an hour, so a quarter lies in one hour and one day. */
const QUARTER = 15 * 60_000

export type Buckets = {
  /** When the one began that a time lies in. */
  startOf: (at: number) => number
  /** When each began from that of `first` on, and as the last when one begins at `end` or after it. */
  startsFrom: (first: number, end: number) => number[]
  /** Of those without a change of the clock, in milliseconds. */
  longest: number
}

const HOUR = 4 * QUARTER
/** No day is shorter. */
const SHORTEST_DAY = 22 * HOUR

/** Hours or days as the people of a time zone see them. */
export function bucketsOf(bucket: 'hour' | 'day', timezone: string): Buckets {
  const parts = partsIn(timezone)
  const begin = (at: number) => startOf(Math.floor(at / QUARTER) * QUARTER, bucket, parts)
  // Calendars are slow, and every slice of a range asks again.
  const followers = new Map<number, number>()
  const after = (start: number) => {
    const known = followers.get(start)
    if (known !== undefined) return known
    let at = start + (bucket === 'day' ? SHORTEST_DAY : QUARTER)
    while (begin(at) === start) at += QUARTER
    followers.set(start, at)
    return at
  }
  return {
    startOf: begin,
    startsFrom(first, end) {
      const starts = [begin(first)]
      do starts.push(after(starts.at(-1)!))
      while (starts.at(-1)! < end)
      return starts
    },
    longest: bucket === 'day' ? 24 * HOUR : HOUR,
  }
}

type Parts = (at: number) => { day: string; hour: number; minute: number }

/** Quarter by quarter back to the first that is of the same hour or day; days with a change of the clock have other lengths. */
function startOf(quarter: number, bucket: 'hour' | 'day', parts: Parts): number {
  const { day, hour, minute } = parts(quarter)
  // Most days have no change, and begin as many minutes ago as their clock says.
  const guess = quarter - (minute + (bucket === 'day' ? hour * 60 : 0)) * 60_000
  if (bucket === 'hour') return guess
  const isStart = (at: number) => parts(at).day === day && parts(at - QUARTER).day !== day
  if (isStart(guess)) return guess
  let start = quarter
  while (parts(start - QUARTER).day === day) start -= QUARTER
  return start
}

function partsIn(timeZone: string): Parts {
  const format = formatIn(timeZone)
  return (at) => {
    const of = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return { day: `${of['year']}-${of['month']}-${of['day']}`, hour: Number(of['hour']), minute: Number(of['minute']) }
  }
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...digits })
  } catch {
    throw new AgentError('invalid_payload', `timezone: there is none named ${timeZone.slice(0, 40)}.`)
  }
}
