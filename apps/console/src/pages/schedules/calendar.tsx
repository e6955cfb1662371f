import type { ScheduledTask } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from '../../ui/icons.tsx'
import { Link, useSearchParams } from 'wouter'
import { calendarQuery } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { type Day, daysOf, type Due, monthIn, monthName, otherMonth, rangeOf } from './calendar-days.ts'
import { scheduleWords } from './words.ts'

/** More are counted. */
const A_DAY = 3
const COLOURS = ['bg-plot-1', 'bg-plot-2', 'bg-plot-3', 'bg-plot-4', 'bg-plot-5']
/** What the server lists at most, of one schedule and of all. */
const OF_ONE = 1_000
const OF_ALL = 10_000

type Colours = ReadonlyMap<string, string>

/** When everything is due in a month, by the reader's clock; on phones a list of days. */
export function Calendar({ tasks }: { tasks: readonly ScheduledTask[] }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const isNarrow = useNarrow()
  const [params, setParams] = useSearchParams()
  const month = monthIn(params.get('month'))
  const { from, to } = rangeOf(month)
  const { data, error, refetch } = useQuery({
    ...calendarQuery(from.toISOString(), to.toISOString()),
    placeholderData: (before) => before,
  })
  const isNow = monthName(month) === monthName(new Date())
  const show = (date: Date) => setParams({ view: 'calendar', month: monthName(date) }, { replace: true })
  const days = daysOf(month, data ?? [])
  const colours: Colours = new Map(tasks.map(({ id }, index) => [id, COLOURS[index] ?? 'bg-control']))
  const limit = Math.min(OF_ONE, Math.floor(OF_ALL / Math.max(data?.length ?? 1, 1)))
  return (
    <>
      <SheetBar back={routes.schedules} title={<h2>{format.month(month.getTime())}</h2>}>
        <IconButton label={words.earlier} disabled={isNow} onClick={() => show(otherMonth(month, -1))}>
          <ChevronLeft size={18} />
        </IconButton>
        <Button kind="quiet" disabled={isNow} onClick={() => show(new Date())}>
          {words.today}
        </Button>
        <IconButton label={words.later} onClick={() => show(otherMonth(month, 1))}>
          <ChevronRight size={18} />
        </IconButton>
      </SheetBar>
      {!data && error ? <Failure error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton rows={10} /> : null}
      {data?.some(({ occurrences }) => occurrences.length >= limit) ? (
        <p className="flex-none px-5 pt-3 text-12 text-muted max-md:px-4">{words.cutShort}</p>
      ) : null}
      {data && isNarrow ? <Agenda days={days} colours={colours} /> : null}
      {data && !isNarrow ? <MonthGrid days={days} colours={colours} title={format.month(month.getTime())} /> : null}
    </>
  )
}

function MonthGrid({ days, colours, title }: { days: readonly Day[]; colours: Colours; title: string }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))
  return (
    <div className="min-h-0 grow overflow-auto">
      <table className="h-full w-full table-fixed border-collapse text-left">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            {words.weekdays.map((name) => (
              <th key={name} className="h-8 border-b border-line px-2 text-12 font-medium text-muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]?.date.toDateString()} className="border-b border-line last:border-b-0">
              {week.map(({ date, isOfMonth, dues }) => (
                <td
                  key={date.toDateString()}
                  className={`h-28 overflow-hidden border-r border-line p-1 align-top last:border-r-0 ${isOfMonth ? '' : 'bg-raised'}`}
                >
                  <DayNumber date={date} isOfMonth={isOfMonth} />
                  {dues.slice(0, A_DAY).map((due) => (
                    <DueLink key={due.task_id} due={due} colour={colours.get(due.task_id)} />
                  ))}
                  {dues.length > A_DAY ? (
                    <span className="block px-1 text-12 text-muted">
                      {words.moreOfDay(format.number(dues.length - A_DAY))}
                    </span>
                  ) : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DayNumber({ date, isOfMonth }: { date: Date; isOfMonth: boolean }) {
  const isToday = date.toDateString() === new Date().toDateString()
  const look = isToday
    ? 'bg-accent text-on-accent font-semibold justify-center'
    : isOfMonth
      ? 'text-text'
      : 'text-muted'
  return (
    <span
      aria-current={isToday ? 'date' : undefined}
      className={`mb-1 inline-flex h-5 min-w-5 items-center rounded-full px-1 text-12 ${look}`}
    >
      {date.getDate()}
    </span>
  )
}

/** Days on which something is due, one below the other. */
function Agenda({ days, colours }: { days: readonly Day[]; colours: Colours }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const full = days.filter(({ isOfMonth, dues }) => isOfMonth && dues.length > 0)
  if (full.length === 0) return <p className="p-4 text-13 text-muted">{words.nothingDue}</p>
  return (
    <ul className="grow overflow-y-auto p-4">
      {full.map(({ date, dues }) => (
        <li key={date.toDateString()} className="flex gap-4 border-b border-line py-2 last:border-b-0">
          <h3 className="w-16 flex-none py-2 text-12 font-medium text-muted">
            {format.day(date.getTime())}
            <span className="block font-normal">{words.weekdays[(date.getDay() + 6) % 7]}</span>
          </h3>
          <div className="min-w-0 grow">
            {dues.map((due) => (
              <DueLink key={due.task_id} due={due} colour={colours.get(due.task_id)} />
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}

function DueLink({ due: { task_id, title, times }, colour }: { due: Due; colour: string | undefined }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const first = times[0] ?? ''
  const when = times.length === 1 ? format.clock(first) : words.times(format.number(times.length))
  return (
    <Link
      href={routes.schedule(task_id)}
      title={`${title}, ${format.absolute(first)}`}
      className="flex min-h-6 min-w-0 items-center gap-1 rounded-chip px-1 text-12 hover:bg-hover max-md:min-h-11 max-md:gap-2 max-md:text-13"
    >
      <span aria-hidden="true" className={`size-2 flex-none rounded-full ${colour ?? 'bg-control'}`} />
      <span className="flex-none text-muted">{when}</span>
      <span className="truncate">{title}</span>
    </Link>
  )
}
