import { defineTool, runTool } from '@parley/tools'
import type { JsonObject, JsonValue, Replay, Risk, ToolInput } from '../ports.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'

/** A function of the program, as its runs call it. */
export type GivenTool = {
  name: string
  description: string
  /** A JSON Schema of type object, for the model. */
  input: JsonObject
  risk: Risk
  requiresConfirmation: boolean
  readOnly: boolean
  replay: Replay
  timeoutMs: number
  /** Before anybody is asked; what it gives back is what runs. */
  check: (input: JsonValue) => ToolInput
  /** A throw is an error result. */
  run: (input: Record<string, unknown>, context: GivenContext) => unknown
}

export type GivenContext = { session_id: string; tool_call_id: string; attempt: number; signal: AbortSignal }

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
