import type { ComponentType } from 'react'
import type { ToolBlock } from '../../model/tool-block.ts'
import type { BlockProps } from '../kit/kit-context.ts'

export type ToolRegistration = {
  name: string
  Icon?: ComponentType
  /** In place of the drawer. A function it returns is called when another tool is opened. */
  onClick?: (block: ToolBlock) => void | (() => void)
  /** In place of the row's body. */
  render?: ComponentType<BlockProps<ToolBlock>>
}

const tools = new Map<string, ToolRegistration>()
let closeOpened: (() => void) | undefined

/** How tools are drawn, for all chats of the page. The `blocks` prop does the same for one, and wins. */
export const BlockRegistry = {
  /** A name again replaces what it had. */
  registerTool(tool: ToolRegistration): void {
    tools.set(tool.name, tool)
  },
  registerTools(list: readonly ToolRegistration[]): void {
    for (const tool of list) tools.set(tool.name, tool)
  },
  unregisterTool(name: string): boolean {
    return tools.delete(name)
  },
  getTool: (name: string): ToolRegistration | undefined => tools.get(name),
  hasTool: (name: string): boolean => tools.has(name),
  getAllToolNames: (): string[] => [...tools.keys()],
  clearAll(): void {
    tools.clear()
  },
}

/** Tells the tool that was open that another one is; `false` if the kit's own drawer should open. */
export function openRegisteredTool(block: ToolBlock): boolean {
  closeOpened?.()
  closeOpened = undefined
  const onClick = tools.get(block.content.name)?.onClick
  if (!onClick) return false
  closeOpened = onClick(block) ?? undefined
  return true
}
