import { AgentError } from '@parley/protocol'
import { Cron } from 'croner'
import { type LocalTime, openLocalTime } from './local-time.ts'

/** When a task is due, as its cron expression says in its time zone. */
export type Timetable = {
  /** The first slot after this time, both in milliseconds since 1970; `null`: there is none. */
  next: (after: number) => number | null
}

/** `?` means the time at which it is read, which is another one at every start. */
const FIVE_FIELDS = /^[^\s?@]+(?: +[^\s?@]+){4}$/
/** Longer than clocks are set back anywhere, but where a day was repeated. */
const REPEATED_MS = 3 * 60 * 60_000

/**
 * Throws `invalid_payload` for an expression or a time zone that cannot be meant.
 *
 * The expression says what clocks show when it is due. A time that they show twice is due at the first, one that they leave
 * out at the end of the gap, so that what is done once a day is done once on that day. Where any hour will do (its field begins with `*`), it
 * is due whenever clocks show it.
 */
export function openTimetable({ cron, timezone }: { cron: string; timezone: string }): Timetable {
  const { offsetAt, instantsOf, endOfGap } = readTimeZone(timezone)
  if (!FIVE_FIELDS.test(cron))
    throw invalid('cron', 'Five fields are needed: minute, hour, day of the month, month, day of the week.')
  const pattern = readPattern(cron)
  const isAnyHour = cron.split(/ +/)[1]!.startsWith('*')
  const nextShown = (shown: number) => pattern.nextRun(new Date(shown))?.getTime() ?? null
  const dueAt = (shown: number) => {
    const instants = instantsOf(shown)
    return isAnyHour ? instants : [instants[0] ?? endOfGap(shown)]
  }
  return {
    next(after) {
      // What clocks show a second time lies before what they show now.
      const isRepeated = isAnyHour && offsetAt(after + REPEATED_MS) < offsetAt(after)
      const from = after + offsetAt(after) - (isRepeated ? REPEATED_MS : 0)
      let found = Infinity
      for (let shown = nextShown(from); shown !== null; shown = nextShown(shown)) {
        const [first, second = first] = dueAt(shown)
        if (first === undefined) continue
        if (first > after) return Math.min(first, found)
        if (second! > after) found = Math.min(second!, found)
      }
      return Number.isFinite(found) ? found : null
    },
  }
}

/** The slots from `from` to `to`, both included, the first of them. */
export function slotsBetween({ next }: Timetable, { from, to }: { from: number; to: number }, limit: number): number[] {
  const slots: number[] = []
  for (let slot = next(from - 1); slot !== null && slot <= to && slots.length < limit; slot = next(slot))
    slots.push(slot)
  return slots
}

export function serverTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function invalid(field: string, msg: string): AgentError {
  return new AgentError('invalid_payload', `${field}: ${msg}`, { details: { errors: [{ loc: [field], msg }] } })
}

/** In UTC, which has no changes: its own way with those of a time zone finds some times twice, and some for ever. */
function readPattern(cron: string): Cron {
  try {
    return new Cron(cron, { utcOffset: 0, mode: '5-part' })
  } catch (error) {
    throw invalid('cron', (error as Error).message.replace(/^CronPattern: /, ''))
  }
}

/** A name, and not an offset: those know no summer time. */
function readTimeZone(name: string): LocalTime {
  try {
    if (/^[A-Za-z]/.test(name)) return openLocalTime(name)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw invalid('timezone', `There is no time zone ${name}; use a name like Europe/Paris.`)
}
