import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** One item of a session's task list. */
export const taskSchema = openObject({
  id: z.string(),
  title: z.string(),
  description: orNull(z.string()),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Task = z.infer<typeof taskSchema>
