import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** Answer of `GET …/suggestions`: what the user might ask next, after the answer that is named. */
export const suggestionsSchema = openObject({
  /** `null`: there is no finished answer to go on from. */
  turn_id: orNull(z.string()),
  /** Plain text, three at most; empty when nothing came to mind, or a run is under way. */
  suggestions: z.array(z.string()),
})
export type Suggestions = z.infer<typeof suggestionsSchema>
