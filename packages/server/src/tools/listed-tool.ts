import type { z } from 'zod'
import type { toolEntrySchema } from '@parley/protocol/schemas'
import type { Language } from '../words/language.ts'
import type { ToolDefinition } from './define-tool.ts'

/** A tool as far as people are told of it. */
export type ListedTool = Omit<ToolDefinition, 'check' | 'run' | 'planning'>

/** Where it is listed. */
export type ToolEntry = z.output<typeof toolEntrySchema>

export function listedTool(tool: ListedTool, language: Language): ToolEntry {
  const { name, description, provider, risk, requiresConfirmation, readOnly, replay, input, reaches, effect } = tool
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
    ...(reaches && { chooses_host: true }),
    ...(effect && { is_internal: true }),
  }
}
