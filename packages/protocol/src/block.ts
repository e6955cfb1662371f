import { z } from 'zod'
import { bridgeSchema, uiCardSchema } from './meta.ts'
import { openObject, openUnion, orNull } from './open-schema.ts'
import { questionAnswerSchema } from './question.ts'

export const modeSchema = z.enum(['planning', 'executing'])
export type Mode = z.infer<typeof modeSchema>

export const planStatusSchema = openObject({
  /** The same in every block about one plan. */
  plan_id: z.string().optional(),
  status: z.enum(['proposed', 'approved', 'rejected', 'in_progress', 'completed']),
  plan: orNull(z.string()),
  steps: orNull(z.array(openObject({ id: z.string(), title: z.string(), status: z.string() }))),
  /** With `rejected`: the plan that took its place. */
  superseded_by: z.string().optional(),
})
export type PlanStatus = z.infer<typeof planStatusSchema>

/** The user turn's record of an answer; `message` is display text only. */
export const recordedAnswerSchema = openObject({
  tool_call_id: z.string(),
  selections: z.record(z.string(), z.array(z.number())),
  custom: z.record(z.string(), z.string()),
  answers: z.array(questionAnswerSchema),
  message: orNull(z.string()),
})
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>

/**
 * One element of a turn, in order of appearance. `tool_use` holds the parsed arguments, `tool_result` the same value as
 * the call's `result`. Blocks of a type not listed here are let through when read.
 */
export const contentBlockSchema = openUnion(
  z.discriminatedUnion('type', [
    block('text', z.string()),
    block('thinking', z.string()),
    block('tool_use', z.record(z.string(), z.unknown())),
    block('tool_result', z.unknown()),
    block('tool_ui', uiCardSchema),
    block('tool_bridge', bridgeSchema),
    block('system_notification', z.string()),
    block('mode_change', openObject({ from: modeSchema, to: modeSchema })),
    block('planning_enter', orNull(z.null())),
    block('planning_exit', orNull(z.null())),
    block('plan_status', planStatusSchema),
    block('ask_user_answer', recordedAnswerSchema),
  ]),
)
export type ContentBlock = z.infer<typeof contentBlockSchema>
export type BlockType = ContentBlock['type']

function block<Type extends string, Content extends z.ZodType>(type: Type, content: Content) {
  return openObject({
    type: z.literal(type),
    content,
    tool_call_id: orNull(z.string()),
    tool_name: orNull(z.string()),
    display_name: orNull(z.string()),
  })
}
