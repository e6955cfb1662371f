import { defineTool, runTool } from '@parley/tools'
import type { ToolDefinition } from '../tools/define-tool.ts'
import type { GivenTool } from './in-process.ts'

const made = new WeakMap<GivenTool, ToolDefinition>()

/** The same value for the same tool: what a run has bound stays bound. */
export function asDefinition(tool: GivenTool): ToolDefinition {
  const known = made.get(tool) ?? definitionOf(tool)
  made.set(tool, known)
  return known
}

function definitionOf({ timeoutMs, run, ...tool }: GivenTool): ToolDefinition {
  const { name, description } = tool
  // Under a name that all may have: calls of a library's tools are drawn by nobody as sub-agents.
  const own = { ...defineTool({ name: 'given', description, input: { type: 'object' }, timeoutMs, run }), name }
  return {
    ...tool,
    display_name: { zh: name, en: name },
    provider: 'own',
    async run(input, { session_id, tool_call_id, attempt, signal }) {
      const { status, result } = await runTool(own, input, { session_id, tool_call_id, attempt, signal })
      return status === 'error' ? { result, isError: true } : { result }
    },
  }
}
