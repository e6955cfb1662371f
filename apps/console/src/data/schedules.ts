import type { CreateScheduledTask, ScheduledTask, ScheduledTaskRun, UpdateScheduledTask } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const RUNS_PAGE = 30
const KEY = ['schedules'] as const

/** Deleted here, though the server is told only when it can no longer be taken back. */
const hidden = new Set<string>()

/** All of the reader's; there are at most a hundred. */
export const schedulesQuery = queryOptions({
  queryKey: KEY,
  queryFn: async () => (await client.scheduledTasks.list()).filter(({ id }) => !hidden.has(id)),
})

/** What became of the times a task was due, the newest first. */
export const scheduleRunsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['schedule-runs', id],
    queryFn: ({ pageParam }) => client.scheduledTasks.runs(id, { limit: RUNS_PAGE, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (page: ScheduledTaskRun[], pages) =>
      page.length === RUNS_PAGE ? pages.length * RUNS_PAGE : undefined,
  })

/** When enabled tasks are due between two instants. */
export const calendarQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['schedule-calendar', from, to],
    queryFn: () => client.scheduledTasks.calendar({ from, to }),
  })

/** The next times of a timetable, as the server reckons them. */
export const previewQuery = (cron: string, timezone: string) =>
  queryOptions({
    queryKey: ['schedule-preview', cron, timezone],
    queryFn: () => client.scheduledTasks.preview({ cron, timezone, n: 5 }),
    staleTime: 60_000,
  })

export async function createSchedule(task: CreateScheduledTask): Promise<ScheduledTask> {
  return keep(await client.scheduledTasks.create(task))
}

export async function changeSchedule(id: string, change: UpdateScheduledTask): Promise<ScheduledTask> {
  return keep(await client.scheduledTasks.update(id, change))
}

/** Shown at once; what the server refuses is taken back. */
export async function switchSchedule(id: string, enabled: boolean): Promise<void> {
  patch(id, { enabled, ...(!enabled && { next_run_at: null }) })
  try {
    await queryClient.cancelQueries({ queryKey: KEY })
    keep(await (enabled ? client.scheduledTasks.start(id) : client.scheduledTasks.stop(id)))
  } catch (error) {
    await rereadSchedules()
    throw error
  }
}

export async function runSchedule(id: string): Promise<ScheduledTaskRun> {
  const run = await client.scheduledTasks.run(id)
  queryClient.setQueryData<InfiniteData<ScheduledTaskRun[], number>>(
    ['schedule-runs', id],
    (runs) => runs && { ...runs, pages: runs.pages.map((page, index) => (index === 0 ? [run, ...page] : page)) },
  )
  return run
}

/** Out of the list until it is deleted or brought back. */
export function hideSchedule(id: string): void {
  hidden.add(id)
  queryClient.setQueryData(KEY, (tasks: ScheduledTask[] | undefined) => tasks?.filter((task) => task.id !== id))
  void rereadCalendar()
}

export async function bringBackSchedule(id: string): Promise<void> {
  hidden.delete(id)
  await rereadSchedules()
}

export async function deleteSchedule(id: string): Promise<void> {
  try {
    await client.scheduledTasks.delete(id)
    await rereadCalendar()
  } catch (error) {
    await bringBackSchedule(id)
    throw error
  }
}

async function rereadSchedules(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: KEY }), rereadCalendar()])
}

const rereadCalendar = () => queryClient.invalidateQueries({ queryKey: ['schedule-calendar'] })

/** Puts what the server said where it stands. */
function keep(task: ScheduledTask): ScheduledTask {
  queryClient.setQueryData(KEY, (tasks: ScheduledTask[] | undefined) =>
    tasks?.some(({ id }) => id === task.id)
      ? tasks.map((one) => (one.id === task.id ? task : one))
      : [...(tasks ?? []), task],
  )
  void rereadCalendar()
  return task
}

function patch(id: string, change: Partial<ScheduledTask>): void {
  queryClient.setQueryData(KEY, (tasks: ScheduledTask[] | undefined) =>
    tasks?.map((task) => (task.id === id ? { ...task, ...change } : task)),
  )
}
