import { z } from 'zod'
import { openObject } from './open-schema.ts'

export const instanceSchema = openObject({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  /** Whoever answers this request. */
  is_this: z.boolean(),
  started_at: z.string(),
  lease_until: z.string(),
  /** `silent`: no sign of life for a whole lease; others take its runs over. */
  state: z.enum(['live', 'silent']),
  /** Runs whose lease it holds. */
  runs: z.int(),
})
export type Instance = z.infer<typeof instanceSchema>

/** Answer of `GET /api/instances`. */
export const instanceListSchema = openObject({
  items: z.array(instanceSchema),
  total: z.int(),
  lease_ms: z.int(),
  database: z.enum(['sqlite', 'postgres']),
})
export type InstanceList = z.infer<typeof instanceListSchema>
