import { AgentError } from '@parley/protocol'

/** The offsets of all time zones are whole quarters of an hour, so a quarter lies in one hour and one day. */
const QUARTER = 15 * 60_000

/** When the hour or day began that a time lies in, as the people of a time zone see it. */
export function bucketOf(bucket: 'hour' | 'day', timezone: string): (at: number) => number {
  const parts = partsIn(timezone)
  const known = new Map<number, number>()
  return (at) => {
    const quarter = Math.floor(at / QUARTER)
    const found = known.get(quarter) ?? startOf(quarter * QUARTER, bucket, parts)
    known.set(quarter, found)
    return found
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
