import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

export const skillSummarySchema = openObject({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  source: z.enum(['global', 'solution', 'session']),
  version: orNull(z.string()),
})
export type SkillSummary = z.infer<typeof skillSummarySchema>
