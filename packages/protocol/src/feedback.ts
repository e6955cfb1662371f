import { z } from 'zod'
import { MAX_COMMENT } from './max-comment.ts'
import { columnText, openObject, orNull } from './open-schema.ts'
import { subjectSchema } from './visitor-token.ts'

export const feedbackValueSchema = z.enum(['like', 'dislike'])
export type FeedbackValue = z.infer<typeof feedbackValueSchema>

const comment = columnText
  .trim()
  .min(1)
  .max(MAX_COMMENT)
  // Half a character is no text to a database.
  .transform((text) => text.toWellFormed())

/** Body of `PUT …/messages/{turn_id}/feedback`. `null` takes back what was said, the comment with it. */
export const giveFeedbackSchema = z
  .strictObject({ value: feedbackValueSchema.nullable(), comment: comment.optional() })
  .refine(({ value, comment }) => value !== null || comment === undefined, {
    path: ['comment'],
    message: 'a comment needs a value: like or dislike',
  })
export type GiveFeedback = z.input<typeof giveFeedbackSchema>

const said = {
  /** Data, as somebody typed it: to be shown as text. */
  comment: orNull(z.string()),
  user_id: z.string(),
  /** The product's own id of the visitor; absent when somebody of the account itself said it. */
  subject: z.string().optional(),
  updated_at: z.string(),
}

/** What is thought of an answer, on its turn. */
export const turnFeedbackSchema = openObject({ value: feedbackValueSchema, ...said })
export type TurnFeedback = z.infer<typeof turnFeedbackSchema>

/** The same by itself. */
export const feedbackSchema = openObject({
  session_id: z.string(),
  turn_id: z.string(),
  ...turnFeedbackSchema.shape,
  created_at: z.string(),
})
export type Feedback = z.infer<typeof feedbackSchema>

/** Payload of `feedback:given`, but for its session: what holds from now on; `value: null` when it was taken back. */
export const feedbackGiven = { turn_id: z.string(), value: orNull(feedbackValueSchema), ...said }

/** Answer of `PUT …/feedback`: what holds now, `value: null` when nothing does. */
export const givenFeedbackSchema = z.union([
  feedbackSchema,
  openObject({ session_id: z.string(), turn_id: z.string(), value: z.null(), comment: z.null() }),
])
export type GivenFeedback = z.infer<typeof givenFeedbackSchema>

const filter = {
  value: feedbackValueSchema.optional(),
  /** Only those with a comment, or only those without. */
  commented: z
    .enum(['true', 'false'])
    .transform((wanted) => wanted === 'true')
    .optional(),
  /** `next_cursor` of the page before. */
  cursor: z.string().min(1).max(300).optional(),
}
const pageSize = z.coerce.number().int().min(1).max(200)

/** Query of `GET …/feedback` of a session. Without `limit` it is all of it. */
export const sessionFeedbackQuerySchema = z.strictObject({ ...filter, limit: pageSize.optional() })
export type SessionFeedbackQuery = z.input<typeof sessionFeedbackQuerySchema>

/** Query of `GET /api/feedback`. */
export const feedbackQuerySchema = z.strictObject({
  ...filter,
  session_id: columnText.min(1).optional(),
  /** One visitor's, by the product's own id. */
  subject: subjectSchema.optional(),
  /** First said at this time or later, and before that one. */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  limit: pageSize.default(50),
})
export type FeedbackQuery = z.input<typeof feedbackQuerySchema>

/** Answer of both, the newest first; `next_cursor` is null on the last page. */
export const feedbackPageSchema = openObject({
  items: z.array(feedbackSchema),
  total: z.int(),
  next_cursor: orNull(z.string()),
})
export type FeedbackPage = z.infer<typeof feedbackPageSchema>
