import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** A passage of a document that a model was given, as people see it. The model names it in its answer as `[ref]`. */
export const sourceSchema = openObject({
  /** Its number in the session. A passage that is found again keeps it. */
  ref: z.int(),
  document_id: z.string(),
  title: orNull(z.string()),
  category: z.string(),
  /** The headings above the passage, outermost first. */
  headings: z.array(z.string()),
  /** Of the passage; the whole of it, in its document, is `GET /api/sessions/{id}/sources/{ref}`. */
  excerpt: z.string(),
  /** 0 to 1. */
  score: z.number(),
  confidence: z.enum(['high', 'medium', 'low']),
})
export type Source = z.infer<typeof sourceSchema>
