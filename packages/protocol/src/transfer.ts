import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'
import { createdSessionSchema } from './session.ts'

/** Query of `GET …/export`. */
export const exportQuerySchema = z.object({ format: z.enum(['zip', 'markdown']).default('zip') })
export type ExportQuery = z.input<typeof exportQuerySchema>

/** Answer of `POST /api/sessions/preview-import`: what an import of this archive would make. */
export const importPreviewSchema = openObject({
  intent: z.string(),
  turn_count: z.int(),
  /** Of the workspace. */
  file_count: z.int(),
  /** Unpacked. */
  size_bytes: z.int(),
  format_version: z.int(),
  solution_id: orNull(z.string()),
  /** What an import leaves out, or does differently. */
  warnings: z.array(z.string()),
})
export type ImportPreview = z.infer<typeof importPreviewSchema>

/** Answer of `POST /api/sessions/import`. */
export const importedSessionSchema = openObject({ ...createdSessionSchema.shape, warnings: z.array(z.string()) })
export type ImportedSession = z.infer<typeof importedSessionSchema>
