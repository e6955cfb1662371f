import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

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
})
export type ScheduledTaskRun = z.infer<typeof scheduledTaskRunSchema>

const title = z.string().min(1).max(200)
const prompt = z.string().min(1)
const cron = z.string().min(1).max(100)
const timezone = z.string().min(1).max(100)
const moment = z.iso.datetime({ offset: true })
const model = z.string().max(200)

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
