import type { JsonObject, Tools } from '../ports.ts'

/** Arguments that a person changed: as they are stored, or why they cannot run. */
export type CheckedEdit = { arguments: string } | { problem: string }

/** Arguments that a person changed must fit the tool, and be allowed, like any others. */
export async function checkEdit(tools: Tools, tool_name: string, edited: JsonObject): Promise<CheckedEdit> {
  const tool = tools.find(tool_name)
  if (!tool) return { problem: `There is no tool named ${tool_name}.` }
  const input = await tool.check(edited)
  if (!input.ok) return { problem: input.message }
  const verdict = tools.judge(tool, input.value)
  return verdict.type === 'deny' ? { problem: verdict.reason } : { arguments: JSON.stringify(input.value) }
}
