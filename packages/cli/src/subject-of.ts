import { isSpecialTool, parseArguments, type ToolCallProjection } from '@parley/protocol'

/** The argument that says most. */
export function subjectOf(call: ToolCallProjection): string {
  if (isSpecialTool(call.tool_name, 'AskUserQuestion')) return '' // The question itself follows.
  const args = parseArguments(call.arguments)
  const telling = ['command', 'file_path', 'pattern', 'url', 'query', 'description', 'title'].map((key) => args[key])
  return telling.find((value) => typeof value === 'string') ?? (call.arguments === '{}' ? '' : call.arguments)
}
