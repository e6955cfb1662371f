import { useQuery } from '@tanstack/react-query'
import type { ScheduledTask } from '@parley/protocol/rest'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { UNTOLD_MS, useVisibleInterval } from '../../data/live/visible-interval.ts'
import { schedulesQuery } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { focusedRow } from '../../shell/use-row-keys.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useWords } from '../../texts/language.ts'
import { LastRead } from '../../ui/last-read.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { Calendar } from './calendar.tsx'
import { Examples } from './examples.tsx'
import { ScheduleDetail } from './schedule-detail.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleList } from './schedule-list.tsx'
import { useScheduleDeeds } from './use-schedule-deeds.ts'
import { scheduleWords } from './words.ts'

/** What agents do by the clock: `/schedules` is the calendar, `/schedules/:id` one of them, `/schedules/new` a form. */
export function Page() {
  const words = useWords(scheduleWords)
  const { id } = useParams<{ id?: string }>()
  const [params] = useSearchParams()
  const [, go] = useLocation()
  const interval = useVisibleInterval(UNTOLD_MS)
  const { data: tasks, error, refetch, dataUpdatedAt } = useQuery({ ...schedulesQuery, refetchInterval: interval })
  const isCut = error !== null
  const deeds = useScheduleDeeds()
  const chosen = () => (isCut ? undefined : tasks?.find((task) => task.id === (focusedRow() ?? id)))
  useShortcuts({
    n: () => go(routes.newSchedule),
    t: () => deeds.toggle(chosen()),
    'Shift+R': () => deeds.run(chosen()),
    Delete: () => deeds.remove(chosen()),
  })
  const isList = !id && params.get('view') !== 'calendar' && tasks?.length !== 0
  return (
    <Frame list={<ScheduleList tasks={tasks} current={id} isCut={isCut} />} shows={isList ? 'list' : 'sheet'}>
      {tasks ? <Sheet id={id} tasks={tasks} isCut={isCut} /> : <SheetBar title={words.title} />}
      {error && !tasks ? <Failure error={error} retry={() => void refetch()} /> : null}
      {!error && !tasks ? <Skeleton rows={8} /> : null}
      {isCut && tasks ? <LastRead at={dataUpdatedAt} /> : null}
    </Frame>
  )
}

type SheetProps = { id: string | undefined; tasks: readonly ScheduledTask[]; isCut: boolean }

function Sheet({ id, tasks, isCut }: SheetProps) {
  const words = useWords(scheduleWords)
  const [params] = useSearchParams()
  const task = tasks.find((one) => one.id === id)
  if (id === 'new') return <ScheduleForm key={params.get('example')} isCut={isCut} />
  if (id && !task)
    return (
      <>
        <SheetBar title={words.title} back={routes.schedules} />
        <Empty
          title={words.gone}
          action={
            <Link href={routes.schedules} className="text-13 font-medium text-accent">
              {words.back}
            </Link>
          }
        />
      </>
    )
  if (task && params.has('edit')) return <ScheduleForm key={task.id} task={task} isCut={isCut} />
  if (task) return <ScheduleDetail key={task.id} task={task} isCut={isCut} />
  return tasks.length === 0 ? <Examples /> : <Calendar tasks={tasks} />
}
