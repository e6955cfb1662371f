import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** A file or link the agent delivered. */
export const artifactSchema = openObject({
  id: z.string(),
  kind: z.enum(['file', 'url']),
  title: z.string(),
  path: orNull(z.string()),
  url: orNull(z.string()),
  mime: orNull(z.string()),
  size: orNull(z.int()),
  tool_call_id: orNull(z.string()),
  created_at: z.string(),
})
export type Artifact = z.infer<typeof artifactSchema>
