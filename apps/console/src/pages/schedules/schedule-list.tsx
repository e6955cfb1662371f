import type { ScheduledTask } from '@parley/protocol/rest'
import { useInfiniteQuery } from '@tanstack/react-query'
import { CalendarDays, Ellipsis, Pencil, Play, Plus, Power, Trash } from '../../ui/icons.tsx'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { scheduleRunsQuery } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { ListBar } from '../../shell/frame.tsx'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { useFormat } from '../../texts/format.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { Menu } from '../../ui/menu.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { timingWords } from './timing-words.ts'
import { useScheduleDeeds } from './use-schedule-deeds.ts'
import { scheduleWords } from './words.ts'

type ListProps = { tasks: readonly ScheduledTask[] | undefined; current: string | undefined; isCut: boolean }

/** The calendar of all, then each of them with when it is due next. */
export function ScheduleList({ tasks, current, isCut }: ListProps) {
  const words = useWords(scheduleWords)
  const list = useRef<HTMLUListElement>(null)
  const onKeyDown = useRowKeys(list)
  return (
    <>
      <ListBar title={words.title}>
        <Link
          href={routes.newSchedule}
          aria-label={words.new}
          title={`${words.new} (n)`}
          aria-current={current === 'new' ? 'page' : undefined}
          className="inline-flex size-8 items-center justify-center rounded-control border border-line bg-surface hover:bg-hover max-md:size-11"
        >
          <Plus size={18} />
        </Link>
      </ListBar>
      {tasks && tasks.length > 0 ? (
        <Link
          href={routes.scheduleCalendar}
          aria-current={current === undefined ? 'page' : undefined}
          className="my-2 mr-1 flex min-h-[34px] flex-none items-center gap-2 rounded-card px-2 text-13 hover:bg-hover aria-[current]:bg-selected max-md:mr-0 max-md:min-h-11 max-md:px-4 max-md:aria-[current]:bg-transparent"
        >
          <CalendarDays size={16} className="text-muted" aria-hidden="true" />
          {words.calendar}
        </Link>
      ) : null}
      {tasks ? null : <Skeleton rows={6} />}
      <ul ref={list} aria-label={words.list} onKeyDown={onKeyDown} className="min-h-0 grow overflow-y-auto pb-4">
        {tasks?.map((task) => (
          <ScheduleRow key={task.id} task={task} isCurrent={task.id === current} isCut={isCut} />
        ))}
      </ul>
    </>
  )
}

function ScheduleRow({ task, isCurrent, isCut }: { task: ScheduledTask; isCurrent: boolean; isCut: boolean }) {
  const words = useWords(scheduleWords)
  const language = useLanguage()
  const format = useFormat()
  const [, go] = useLocation()
  const deeds = useScheduleDeeds()
  const { id, title, enabled, next_run_at } = task
  const isRunning = useIsRunning(id)
  const when = isRunning
    ? words.running
    : !enabled
      ? words.off
      : next_run_at
        ? words.next(format.ago(next_run_at))
        : words.over
  return (
    <li className="group relative mr-1 max-md:mr-0">
      <Link
        href={routes.schedule(id)}
        data-row={id}
        aria-current={isCurrent ? 'page' : undefined}
        className="flex items-start gap-2 rounded-card p-2 text-13 hover:bg-hover aria-[current]:bg-selected max-md:px-4"
      >
        <Mark state={isRunning ? 'running' : enabled && next_run_at ? 'on' : 'off'} />
        <span className="min-w-0 grow">
          <span className="flex gap-2">
            <span className="min-w-0 grow truncate">{title}</span>
            <time
              dateTime={next_run_at ?? undefined}
              title={next_run_at ? format.absolute(next_run_at) : undefined}
              className={`flex-none text-12 leading-[20px] text-faint [@media(hover:none)]:pr-9 ${isCut ? '' : 'group-focus-within:opacity-0 group-hover:opacity-0'}`}
            >
              {when}
            </time>
          </span>
          <span className="block truncate text-12 text-muted">{timingWords(task.cron, language)}</span>
        </span>
      </Link>
      {isCut ? null : (
        <div className="absolute top-1 right-1 flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100 max-md:top-1 max-md:right-2">
          <Menu
            label={words.more(title)}
            className="size-7 bg-hover max-md:bg-transparent"
            items={[
              {
                label: enabled ? words.switchOff : words.switchOn,
                icon: <Power size={16} />,
                shortcut: 't',
                onSelect: () => deeds.toggle(task),
              },
              {
                label: words.runNow,
                icon: <Play size={16} />,
                shortcut: 'Shift R',
                onSelect: () => deeds.run(task),
              },
              {
                label: words.edit,
                icon: <Pencil size={16} />,
                onSelect: () => go(routes.editSchedule(id)),
              },
              {
                label: words.delete,
                icon: <Trash size={16} />,
                shortcut: 'Del',
                isDangerous: true,
                onSelect: () => deeds.remove(task),
              },
            ]}
          >
            <Ellipsis size={16} />
          </Menu>
        </div>
      )}
    </li>
  )
}

/** As far as it is known here: the runs of a schedule are read while it is open, and until the last of them is over. */
function useIsRunning(id: string): boolean {
  const { data } = useInfiniteQuery({ ...scheduleRunsQuery(id), enabled: ({ state }) => isRunning(state.data) })
  return isRunning(data)
}

function isRunning(data: { pages: { status: string }[][] } | undefined): boolean {
  return data?.pages[0]?.[0]?.status === 'running'
}

/** On, off or at work, each with a shape of its own. */
function Mark({ state }: { state: 'on' | 'off' | 'running' }) {
  const shapes = {
    on: 'size-2 bg-control',
    off: 'size-2 border border-control',
    running: 'size-3 border-2 border-accent border-r-transparent animate-[spin_1200ms_linear_infinite]',
  }
  return (
    <span aria-hidden="true" className="flex h-5 w-4 flex-none items-center justify-center">
      <span className={`rounded-full ${shapes[state]}`} />
    </span>
  )
}
