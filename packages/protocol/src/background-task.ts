import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** A command that runs on while the conversation continues. */
export const backgroundTaskSchema = openObject({
  task_id: z.string(),
  command: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'stopped']),
  exit_code: orNull(z.int()),
  started_at: z.string(),
  finished_at: orNull(z.string()),
})
export type BackgroundTask = z.infer<typeof backgroundTaskSchema>
