import { z } from 'zod'
import { openObject } from './open-schema.ts'

/** Body of every 4xx and 5xx answer. */
export const errorBodySchema = openObject({
  detail: z.string(),
  code: z.string().optional(),
  errors: z.array(z.unknown()).optional(),
  session_id: z.string().optional(),
  run_id: z.string().optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>
