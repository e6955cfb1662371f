import type { Language } from '../words/language.ts'
import type { ToolDefinition } from './define-tool.ts'

/** A tool as far as people are told of it. */
export type ListedTool = Omit<ToolDefinition, 'check' | 'run' | 'effect' | 'planning'>

/** An entry of `GET /api/tools`. */
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
