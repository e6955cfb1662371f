import { AGENT, ASK, LOOP_TOOLS } from '../core/offer.ts'
import { PHRASES } from '../words/phrases.ts'
import type { ListedTool } from './listed-tool.ts'

const NAMES: Record<string, ListedTool['display_name']> = {
  [ASK]: PHRASES['tool.ask'],
  [AGENT]: PHRASES['tool.agent'],
}

/** Questions and sub-agents are the loop's own business; people see them as tools all the same. */
export const loopTools: readonly ListedTool[] = LOOP_TOOLS.map((tool) => ({
  ...tool,
  display_name: NAMES[tool.name]!,
  provider: tool.name === ASK ? 'builtin' : 'fork',
  risk: 'low',
  requiresConfirmation: false,
  readOnly: tool.name === ASK,
  replay: 'never',
}))

/** Offered to runs that must hand in a structured result, and listed nowhere. */
export const submitResult = { name: 'submit_result', display_name: PHRASES['tool.submit'] }
