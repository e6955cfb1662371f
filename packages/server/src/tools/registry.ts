import type { Tool, Tools } from '../ports.ts'
import { bindTool, type ToolDefinition, type ToolSession } from './define-tool.ts'
import { glob } from './glob.ts'
import { read } from './read.ts'
import { write } from './write.ts'

/** Every built-in tool, in the order models get them. */
export const BUILTIN_TOOLS: readonly ToolDefinition[] = [read, write, glob]

export type SessionTools = ToolSession & {
  language: 'zh' | 'en'
  disabled: readonly string[]
  /** Only tools that change nothing. */
  isPlanning: boolean
}

/** The tools of one session, without those it has switched off. */
export function toolsFor(
  definitions: readonly ToolDefinition[],
  { language, disabled, isPlanning, ...session }: SessionTools,
): Tools {
  const tools = definitions
    .filter(({ name, readOnly }) => !disabled.includes(name) && (readOnly || !isPlanning))
    .map((tool) => bindTool(tool, language, session))
  const byName = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]))
  return { list: () => tools, find: (name) => byName.get(name) }
}
