import type { JsonValue } from '../../../src/ports.ts'
import type { ToolDefinition } from '../../../src/tools/define-tool.ts'

/** Calls a tool as the server does: arguments checked first, then run; a throw is what the model would read. */
export async function callTool(tool: ToolDefinition, input: JsonValue, signal?: AbortSignal): Promise<JsonValue> {
  const checked = await tool.check(input)
  if (!checked.ok) throw new Error(checked.message)
  const { result } = await tool.run(checked.value, {
    session_id: 'sess_1',
    tool_call_id: 'call_1',
    attempt: 1,
    subject: null,
    workspace: '/nowhere',
    env: {},
    signal: signal ?? new AbortController().signal,
    notify: () => undefined,
  })
  return result
}
