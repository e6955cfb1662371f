import type {
  CalendarEntry,
  CalendarQuery,
  CreateScheduledTask,
  ScheduledRunsQuery,
  ScheduledTask,
  ScheduledTaskRun,
  SchedulePreview,
  SchedulePreviewQuery,
  UpdateScheduledTask,
} from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type ScheduledTasksApi = {
  create(task: CreateScheduledTask): Promise<ScheduledTask>
  list(): Promise<ScheduledTask[]>
  get(task_id: string): Promise<ScheduledTask>
  /** Another prompt clears `skip_confirmations`, unless the change says it again. */
  update(task_id: string, change: UpdateScheduledTask): Promise<ScheduledTask>
  /** Sessions of past runs stay. */
  delete(task_id: string): Promise<void>
  start(task_id: string): Promise<ScheduledTask>
  /** A run under way goes on. */
  stop(task_id: string): Promise<ScheduledTask>
  /** Now, whether it is due or not. */
  run(task_id: string): Promise<ScheduledTaskRun>
  /** The newest first. */
  runs(task_id: string, page?: ScheduledRunsQuery): Promise<ScheduledTaskRun[]>
  /** When enabled tasks are due. */
  calendar(query: CalendarQuery): Promise<CalendarEntry[]>
  /** When a timetable would be due next, as the server reckons. */
  preview(query: SchedulePreviewQuery): Promise<SchedulePreview>
}

export function createScheduledTasksApi(rest: Rest): ScheduledTasksApi {
  const all = '/api/scheduled-tasks'
  const path = (task_id: string) => `${all}/${encodeURIComponent(task_id)}`
  return {
    create: (task) => rest.post(all, task),
    list: () => rest.get(all),
    get: (task_id) => rest.get(path(task_id)),
    update: (task_id, change) => rest.patch(path(task_id), change),
    delete: async (task_id) => void (await rest.del(path(task_id))),
    start: (task_id) => rest.post(`${path(task_id)}/start`),
    stop: (task_id) => rest.post(`${path(task_id)}/stop`),
    run: (task_id) => rest.post(`${path(task_id)}/run`),
    runs: (task_id, page = {}) => rest.get(`${path(task_id)}/runs`, { query: page as Record<string, number> }),
    calendar: (query) => rest.get(`${all}/calendar`, { query }),
    preview: (query) => rest.get(`${all}/preview`, { query: query as Record<string, string> }),
  }
}
