import { z } from 'zod'
import { columnText } from './open-schema.ts'

/** Variables for tools, under names that programs take. Never stored in history, never echoed. */
export const environmentSchema = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), columnText)
