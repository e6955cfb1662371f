import { AgentError } from '@parley/protocol'
import { z } from 'zod'

/** [S2.1] */
const idSchema = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'An id has 1 to 128 of A-Z a-z 0-9 _ . : -')

const MAX_MESSAGE = 32_768

/** [S2] What is not here is ignored, and named to whoever sent it. */
export const chatRequestSchema = z.object({
  message: z
    .string()
    .transform((text) => text.trim())
    .pipe(z.string().max(MAX_MESSAGE)),
  sessionId: idSchema.optional(),
  messageId: idSchema.optional(),
  /** Nothing is retrieved yet, so there is nothing to skip. */
  skipKnowledge: z.boolean().optional(),
})

export type ChatRequest = z.output<typeof chatRequestSchema>

/** What the fields say together. */
export function demandMessage({ message }: ChatRequest): void {
  if (message === '') throw new AgentError('invalid_payload', 'message: The message is empty.')
}
