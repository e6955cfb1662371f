import { z } from 'zod'
import { openObject } from './open-schema.ts'

/** Tokens of one turn or of a whole run. `input_tokens` includes what came from a cache. */
export const usageSchema = openObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int().optional(),
  cache_write_tokens: z.int().optional(),
})
export type Usage = z.infer<typeof usageSchema>
