import { z } from 'zod'
import type { ToolSpec } from './tool-files.ts'

/** A tool as `defineTool` makes it, as far as it can be told. */
export const toolSpec = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string(),
  display_name: z.object({ zh: z.string(), en: z.string() }),
  input: z.record(z.string(), z.unknown()),
  risk: z.enum(['low', 'medium', 'high']),
  requiresConfirmation: z.boolean(),
  readOnly: z.boolean(),
  replay: z.enum(['safe', 'never', 'keyed']),
  timeoutMs: z.int().min(1).max(3_600_000),
  file: z.string(),
})

/** What carries the mark of `defineTool` need not come from there. */
export function isSpec(value: unknown): value is ToolSpec {
  return toolSpec.safeParse(value).success
}
