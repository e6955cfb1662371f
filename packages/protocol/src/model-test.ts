import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** Body of `POST /api/config/models/test`: a model of the list, or an address that somebody thinks of adding. */
export const testModelSchema = z.strictObject({
  model: z.string().min(1).max(300).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
  /** With `url`. Used for this test, and kept nowhere. */
  api_key: z
    .string()
    .max(4_096)
    .regex(/^[\x21-\x7e]*$/, 'must be printable characters without spaces')
    .optional(),
})
export type TestModel = z.infer<typeof testModelSchema>

export const modelTestStepSchema = openObject({
  step: z.enum(['resolve', 'connect', 'key', 'list', 'first_token']),
  /** `skipped`: one before it failed, or there is nothing to do. */
  status: z.enum(['ok', 'failed', 'skipped']),
  ms: z.number(),
  /** Why it failed; of `resolve`, the addresses. Never the key. */
  detail: orNull(z.string()),
  /** Of `list`: how many the server names, and whether this one is among them. */
  models: z.int().optional(),
  has_model: z.boolean().optional(),
})
export type ModelTestStep = z.infer<typeof modelTestStepSchema>

/** Its answer. `first_token` asks the model for a few tokens, which costs what they cost. */
export const modelTestSchema = openObject({
  ok: z.boolean(),
  model: orNull(z.string()),
  steps: z.array(modelTestStepSchema),
})
export type ModelTest = z.infer<typeof modelTestSchema>
