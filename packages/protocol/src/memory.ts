import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { pageQueryShape } from './page.ts'

/** A memory as a turn shows it. */
export const memoryRefSchema = openObject({
  id: z.int(),
  content_preview: z.string(),
  skill_name: orNull(z.string()),
})
export type MemoryRef = z.infer<typeof memoryRefSchema>

export const memoryTypeSchema = z.enum(['feedback', 'experience'])
export const memoryRecordTypeSchema = z.enum(['memory', 'skill_comment'])

export const memorySchema = openObject({
  id: z.int(),
  type: memoryTypeSchema,
  content: z.string(),
  skill_name: orNull(z.string()),
  record_type: orNull(memoryRecordTypeSchema),
  scope: orNull(z.string()),
  owner: orNull(z.string()),
  topic: orNull(z.string()),
  mem0_id: orNull(z.string()),
  superseded_by: orNull(z.int()),
  write_reason: orNull(z.string()),
  created_at: z.string(),
  updated_at: orNull(z.string()),
  hit_count: z.int(),
  last_hit_at: orNull(z.string()),
  disabled: z.boolean(),
  /** `""` when it was made outside a session. */
  source_session: z.string(),
})
export type Memory = z.infer<typeof memorySchema>

const label = orNull(columnText.max(255))
const labels = { skill_name: label, scope: label, owner: label, topic: label, mem0_id: label }
const content = columnText.trim().min(1).max(500)
const sourceSession = columnText.max(255)

/** Body of `POST /api/memories`. */
export const createMemorySchema = z.object({
  content,
  type: memoryTypeSchema.default('feedback'),
  ...labels,
  record_type: orNull(memoryRecordTypeSchema),
  write_reason: orNull(columnText.min(1).max(500)),
  source_session: sourceSession.default(''),
})
export type CreateMemory = z.input<typeof createMemorySchema>

/** Body of `PUT /api/memories/{id}`: null leaves a field alone, `""` clears a nullable text. */
export const updateMemorySchema = z.object({
  content: orNull(content),
  type: orNull(memoryTypeSchema),
  ...labels,
  record_type: orNull(z.union([memoryRecordTypeSchema, z.literal('')])),
  write_reason: orNull(columnText.max(500)),
  source_session: orNull(sourceSession),
})
export type UpdateMemory = z.input<typeof updateMemorySchema>

/** Body of `PATCH /api/memories/{id}`. */
export const disableMemorySchema = z.object({ disabled: z.boolean() })

/** Body of `POST /api/memories/batch`. */
export const memoryBatchSchema = z.object({
  action: z.enum(['delete', 'disable', 'enable']),
  ids: z.array(z.int()).min(1).max(100),
})
export type MemoryBatch = z.infer<typeof memoryBatchSchema>

/** Query of `GET /api/memories`. */
export const memoryQuerySchema = z.object({
  keyword: columnText.max(255).optional(),
  skill_name: columnText.optional(),
  type: memoryTypeSchema.optional(),
  record_type: memoryRecordTypeSchema.optional(),
  scope: columnText.optional(),
  owner: columnText.optional(),
  topic: columnText.optional(),
  status: z.enum(['active', 'disabled', 'superseded']).optional(),
  ...pageQueryShape,
})
export type MemoryQuery = z.input<typeof memoryQuerySchema>
