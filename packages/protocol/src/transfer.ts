import { z } from 'zod'

/** Query of `GET …/export`. */
export const exportQuerySchema = z.object({ format: z.enum(['zip', 'markdown']).default('zip') })
export type ExportQuery = z.input<typeof exportQuerySchema>
