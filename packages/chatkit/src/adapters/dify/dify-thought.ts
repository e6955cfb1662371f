import type { ChatOp } from '../../model/chat-op.ts'
import { asArray, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'

export type ThoughtSetting = { locale: string; toolParsers: ToolParsers }

/** The tools of one agent step. It may have called several, written in one of three forms. */
export function thoughtToolOps(thought: JsonObject, { locale, toolParsers }: ThoughtSetting): ChatOp[] {
  const id = asText(thought['id'])
  const labels = asObject(thought['tool_labels'])
  return callsIn(thought).map(({ name, input, output }, index) => {
    const title = titleOf(asObject(labels[name]), locale) || name
    const status = output === '' || output === undefined ? 'pending' : 'done'
    const call = { id: `${id}:${index}`, name, title, input, ...(status === 'done' && { output }), status } as const
    return toolCallOp(`tool:${id}:${index}`, call, toolParsers)
  })
}

type Call = { name: string; input: unknown; output: unknown }

function callsIn(thought: JsonObject): Call[] {
  const tool = asText(thought['tool'])
  if (tool === '') return []
  const names = parseJson(tool)
  const input = parsed(thought['tool_input'])
  const output = thought['observation']
  if (Array.isArray(names)) {
    const outputs = asArray(parsed(output))
    return names.map((name, index) => ({
      name: asText(name),
      input: parsed(asArray(input)[index]),
      output: outputs[index],
    }))
  }
  if (!tool.includes(';')) return [{ name: tool, input: unwrapped(input, tool), output }]
  const outputs = asObject(parsed(output))
  const all = tool.split(';').filter((name) => name !== '')
  return all.map((name) => ({ name, input: asObject(input)[name], output: outputs[name] ?? output }))
}

/** Some versions key even a single call's input by its name. */
function unwrapped(input: unknown, name: string): unknown {
  const keys = Object.keys(asObject(input))
  return keys.length === 1 && keys[0] === name ? asObject(input)[name] : input
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

function titleOf(labels: JsonObject, locale: string): string {
  return asText(labels[/^zh\b/i.test(locale) ? 'zh_Hans' : 'en_US']) || asText(labels['en_US'])
}
