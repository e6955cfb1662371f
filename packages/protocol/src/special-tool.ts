/** Tools that clients treat differently from all others. */
export type SpecialTool = 'AskUserQuestion' | 'Agent'

/** Matches the bare name and the name after a provider prefix: `Agent`, `fork:Agent`. */
export function isSpecialTool(tool_name: string, special: SpecialTool): boolean {
  return tool_name === special || tool_name.endsWith(`:${special}`)
}
