import { z } from 'zod'

const MAX_CHARACTERS = 32_768

/** [O2] Unknown fields are ignored. */
export const streamRequestSchema = z
  .object({
    session_id: z.string().max(256).nullish(),
    user_input: z
      .string()
      .refine((text) => text.trim() !== '', 'must not be empty')
      .refine(isShort, `must have at most ${MAX_CHARACTERS} characters`),
    model_config_id: z.int().nullish(),
    model_id: z.string().max(256).nullish(),
  })
  .superRefine(({ model_config_id, model_id }, context) => {
    const [missing] = [
      ...(model_config_id == null && model_id != null ? ['model_config_id'] : []),
      ...(model_config_id != null && model_id == null ? ['model_id'] : []),
    ]
    if (missing) context.addIssue({ code: 'custom', path: [missing], message: 'goes together with the other one' })
  })

export type StreamRequest = z.output<typeof streamRequestSchema>

/** Characters, not the halves that some of them are stored in. */
function isShort(text: string): boolean {
  return text.length <= MAX_CHARACTERS || (text.length <= 2 * MAX_CHARACTERS && [...text].length <= MAX_CHARACTERS)
}
