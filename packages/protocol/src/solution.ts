import { z } from 'zod'
import { modeSchema } from './block.ts'
import { openObject, orNull } from './open-schema.ts'

const previewSchema = openObject({ url: z.string(), title: orNull(z.string()) })

export const roleSchema = openObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  initial_mode: orNull(modeSchema),
  initial_message: orNull(z.string()),
  layout_type: orNull(z.string()),
  preview: orNull(previewSchema),
})
export type Role = z.infer<typeof roleSchema>

export const solutionSchema = openObject({
  id: z.string(),
  name: z.string(),
  /** As its author counts. */
  version: z.string(),
  description: z.string(),
  layout_type: z.string(),
  initial_mode: orNull(modeSchema),
  /** What people read before their first message. */
  initial_message: orNull(z.string()),
  data: orNull(z.record(z.string(), z.unknown())),
  preview: orNull(previewSchema),
  /** The first is that of sessions that name none. */
  roles: z.array(roleSchema),
  /** Digest of the folder, as `agent.version` of its sessions. */
  digest: z.string(),
})
export type Solution = z.infer<typeof solutionSchema>

/** Answer of `GET /api/solutions`. */
export const solutionListSchema = openObject({
  items: z.array(solutionSchema),
  /** Why folders are not what new sessions get, by the id of the solution; for the owner. */
  problems: z.record(z.string(), z.string()).optional(),
})
export type SolutionList = z.infer<typeof solutionListSchema>

/** Answer of `GET /api/solutions/{id}/biz-roles`. */
export const roleListSchema = openObject({ solution_id: z.string(), user_id: z.string(), items: z.array(roleSchema) })
export type RoleList = z.infer<typeof roleListSchema>
