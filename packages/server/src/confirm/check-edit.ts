import type { JsonObject, Tools } from '../ports.ts'

/** Arguments that a person changed must fit the tool, and be allowed, like any others. */
export function checkEdit(
  tools: Tools,
  tool_name: string,
  edited: JsonObject,
): { arguments: string } | { problem: string } {
  const tool = tools.find(tool_name)
  if (!tool) return { problem: `There is no tool named ${tool_name}.` }
  const input = tool.check(edited)
  if (!input.ok) return { problem: input.message }
  const verdict = tools.judge(tool, input.value)
  return verdict.type === 'deny' ? { problem: verdict.reason } : { arguments: JSON.stringify(input.value) }
}
