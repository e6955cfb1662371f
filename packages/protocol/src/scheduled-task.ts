import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { pageQueryShape } from './page.ts'

export const scheduledTaskSchema = openObject({
  id: z.string(),
  title: z.string(),
  prompt: z.string(),
  /** Five fields. */
  cron: z.string(),
  /** IANA name. */
  timezone: z.string(),
  enabled: z.boolean(),
  expires_at: orNull(z.string()),
  skip_confirmations: z.boolean(),
  model: orNull(z.string()),
  next_run_at: orNull(z.string()),
  created_at: orNull(z.string()),
  updated_at: orNull(z.string()),
})
export type ScheduledTask = z.infer<typeof scheduledTaskSchema>

export const scheduledTaskRunSchema = openObject({
  id: z.string(),
  task_id: z.string(),
  session_id: z.string(),
  status: z.enum(['completed', 'failed', 'running']),
  error: orNull(z.string()),
  triggered_at: z.string(),
  finished_at: orNull(z.string()),
  /** What became of the time it was due; null while it runs. All but `ran` have the status `failed`. */
  fate: orNull(z.enum(['ran', 'skipped', 'missed', 'failed'])),
  /** The time it was due; null when somebody had it run. */
  due_at: orNull(z.string()),
  /** Of `missed`: every due time from `due_at` on, and before this one, was missed. */
  due_before: orNull(z.string()),
})
export type ScheduledTaskRun = z.infer<typeof scheduledTaskRunSchema>

const title = columnText.min(1).max(200)
const prompt = columnText.min(1).max(32_000)
const cron = columnText.min(1).max(100)
const timezone = columnText.min(1).max(100)
const moment = z.iso.datetime({ offset: true })
const model = columnText.max(200)

/** Body of `POST /api/scheduled-tasks`. A null `timezone` means the server's. */
export const createScheduledTaskSchema = z.object({
  title,
  prompt,
  cron,
  timezone: orNull(timezone),
  enabled: z.boolean().default(true),
  expires_at: orNull(moment),
  skip_confirmations: z.boolean().default(false),
  model: orNull(model),
})
export type CreateScheduledTask = z.input<typeof createScheduledTaskSchema>

/** Body of `PATCH /api/scheduled-tasks/{task_id}`: what is absent stays, a null `expires_at` or `model` is cleared. */
export const updateScheduledTaskSchema = z.object({
  title: title.optional(),
  prompt: prompt.optional(),
  cron: cron.optional(),
  timezone: timezone.optional(),
  enabled: z.boolean().optional(),
  expires_at: moment.nullable().optional(),
  skip_confirmations: z.boolean().optional(),
  model: model.nullable().optional(),
})
export type UpdateScheduledTask = z.infer<typeof updateScheduledTaskSchema>

/** Query of `GET /api/scheduled-tasks/{task_id}/runs`. */
export const scheduledRunsQuerySchema = z.object(pageQueryShape)
export type ScheduledRunsQuery = z.input<typeof scheduledRunsQuerySchema>

const MAX_CALENDAR_MS = 92 * 24 * 60 * 60 * 1000
const day = z.union([moment, z.iso.date()])

/** Query of `GET /api/scheduled-tasks/calendar`. */
export const calendarQuerySchema = z.object({ from: day, to: day }).refine(({ from, to }) => {
  const span = Date.parse(to) - Date.parse(from)
  return span >= 0 && span <= MAX_CALENDAR_MS
}, '`to` must lie at most 92 days after `from`')
export type CalendarQuery = z.infer<typeof calendarQuerySchema>

export const calendarEntrySchema = openObject({
  task_id: z.string(),
  title: z.string(),
  occurrences: z.array(z.string()),
})
export type CalendarEntry = z.infer<typeof calendarEntrySchema>

/** Query of `GET /api/scheduled-tasks/preview`. Without a `timezone`: the server's. */
export const schedulePreviewQuerySchema = z.strictObject({
  cron,
  timezone: timezone.optional(),
  n: z.coerce.number().int().min(1).max(20).default(5),
})
export type SchedulePreviewQuery = z.input<typeof schedulePreviewQuerySchema>

/** Its answer: fewer than asked for where there are no more. */
export const schedulePreviewSchema = openObject({ cron: z.string(), timezone: z.string(), next: z.array(z.string()) })
export type SchedulePreview = z.infer<typeof schedulePreviewSchema>
