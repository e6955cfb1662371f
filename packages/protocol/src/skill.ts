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

/** A skill as it was when a session began with it. */
export const skillSnapshotSchema = openObject({
  ...skillSummarySchema.shape,
  /** What its `SKILL.md` says. */
  content: z.string(),
  /** Where its files are in the workspace. */
  files: z.array(z.string()),
})
export type SkillSnapshot = z.infer<typeof skillSnapshotSchema>
