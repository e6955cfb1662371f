import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { subjectSchema } from './visitor-token.ts'

export const feedbackValueSchema = z.enum(['like', 'dislike'])
export type FeedbackValue = z.infer<typeof feedbackValueSchema>

const comment = columnText.trim().min(1).max(2_000)

/** Body of `PUT …/messages/{turn_id}/feedback`. `null` takes back what was said, the comment with it. */
export const giveFeedbackSchema = z
  .strictObject({ value: feedbackValueSchema.nullable(), comment: comment.optional() })
  .refine(({ value, comment }) => value !== null || comment === undefined, {
    path: ['comment'],
    message: 'a comment needs a value: like or dislike',
  })
export type GiveFeedback = z.input<typeof giveFeedbackSchema>

/** What somebody thinks of an answer. */
export const feedbackSchema = openObject({
  session_id: z.string(),
  turn_id: z.string(),
  value: feedbackValueSchema,
  comment: orNull(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  /** The product's own id of the visitor; absent when somebody of the account itself said it. */
  subject: z.string().optional(),
})
export type Feedback = z.infer<typeof feedbackSchema>

/** Answer of `PUT …/feedback`: what holds now, `value: null` when nothing does. */
export type GivenFeedback = Feedback | { session_id: string; turn_id: string; value: null; comment: null }

/** Query of `GET /api/feedback`. */
export const feedbackQuerySchema = z.strictObject({
  session_id: columnText.min(1).optional(),
  value: feedbackValueSchema.optional(),
  /** One visitor's, by the product's own id. */
  subject: subjectSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next_cursor` of the page before. */
  cursor: z.string().min(1).max(300).optional(),
})
export type FeedbackQuery = z.input<typeof feedbackQuerySchema>

/** Answer of `GET /api/feedback`, the newest first; `next_cursor` is null on the last page. */
export const feedbackPageSchema = openObject({
  items: z.array(feedbackSchema),
  total: z.int(),
  next_cursor: orNull(z.string()),
})
export type FeedbackPage = z.infer<typeof feedbackPageSchema>
