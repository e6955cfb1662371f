import { riskSchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import type { Language } from '../words/language.ts'
import type { ToolDefinition } from './define-tool.ts'

/** A tool as far as people are told of it. */
export type ListedTool = Omit<ToolDefinition, 'check' | 'run' | 'effect' | 'planning'>

/** An entry of `GET /api/tools`. Those of foreign servers have a `server`, and `versions` while they are blocked. */
export const toolEntrySchema = z.object({
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  provider: z.string(),
  risk: riskSchema,
  requires_confirmation: z.boolean().optional(),
  read_only: z.boolean(),
  replay: z.string().optional(),
  status: z.enum(['ready', 'blocked', 'down']),
  input: z.looseObject({}),
  server: z.string().optional(),
  versions: z.object({ approved: z.looseObject({}), offered: z.looseObject({}) }).optional(),
})

export function listedTool(tool: ListedTool, language: Language) {
  const { name, description, provider, risk, requiresConfirmation, readOnly, replay, input } = tool
  return {
    name,
    display_name: tool.display_name[language],
    description,
    provider,
    risk,
    requires_confirmation: requiresConfirmation,
    read_only: readOnly,
    replay,
    status: 'ready',
    input,
  }
}
