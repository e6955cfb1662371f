import type { AgentEventData, AgentEventType } from '@parley/protocol/agent-sse'

/** What an event says, before it has its place. */
export type Said = { [Type in AgentEventType]: { type: Type; data: AgentEventData[Type] } }[AgentEventType]

const TERMINAL: ReadonlySet<AgentEventType> = new Set(['completed', 'confirmation_required', 'error', 'cancelled'])

/** [S6.2.1] The last event of a run. */
export function isTerminal({ type }: { type: AgentEventType }): boolean {
  return TERMINAL.has(type)
}
