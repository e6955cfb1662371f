import { z } from 'zod'
import { confirmationCardSchema } from './confirmation.ts'
import { openObject, orNull } from './open-schema.ts'

export const questionOptionSchema = openObject({ label: z.string(), description: orNull(z.string()) })

export const questionSchema = openObject({
  question: z.string(),
  header: orNull(z.string()),
  /** Empty: free text only. */
  options: z
    .array(questionOptionSchema)
    .default([])
    .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, 'labels must be unique'),
  multiSelect: z
    .boolean()
    .nullish()
    .transform((many) => many ?? false),
})
export type Question = z.infer<typeof questionSchema>

/** Parsed `arguments` of an `AskUserQuestion` call. */
export const askUserQuestionSchema = openObject({
  questions: z.array(questionSchema).min(1),
  /** Which sub-agent asks; filled in by the server, null for the main agent. */
  source_loop: orNull(openObject({ loop_name: z.string(), description: z.string() })),
  /** Present when the question stands for a tool call that waits for consent. */
  confirmation: confirmationCardSchema.optional(),
})
export type AskUserQuestion = z.infer<typeof askUserQuestionSchema>

/** `askuser_answer` of `chat:send`. Keys are question numbers from `"0"`; whether it fits is `validateAnswer`'s job. */
export const askUserAnswerSchema = z.object({
  tool_call_id: z.string().min(1),
  /** Question number → chosen option indexes. */
  selections: orEmpty(z.array(z.number())),
  /** Question number → free text. */
  custom: orEmpty(z.string()),
  /** Replaces the arguments of the tool call this answer approves. */
  edited_arguments: z.record(z.string(), z.unknown()).optional(),
})
export type AskUserAnswer = z.infer<typeof askUserAnswerSchema>
/** As a client writes it. */
export type GivenAnswer = z.input<typeof askUserAnswerSchema>

/** One of the two may be left out: what a question needs is an entry in either. */
function orEmpty<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string(), value)
    .nullish()
    .transform((given) => given ?? {})
}

/** One question with what the user said to it, as the tool result carries it. */
export const questionAnswerSchema = openObject({
  question: z.string(),
  header: orNull(z.string()),
  selected: z.array(z.string()),
  custom: orNull(z.string()),
})
export type QuestionAnswer = z.infer<typeof questionAnswerSchema>

/** A question that waits: `chat:end.pause_tool_data`, and `pending_question` of a session's detail. */
export const pendingQuestionSchema = openObject({
  tool_call_id: z.string(),
  turn_id: z.string(),
  loop_id: z.string(),
  arguments: z.record(z.string(), z.unknown()),
})
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>
