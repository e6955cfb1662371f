import type { AgentEvent } from '@parley/protocol/agent-sse'
import { masked } from './plugins/arguments.ts'
import { readResult } from './plugins/given-tools.ts'
import type { PluginManager } from './plugins/plugin-manager.ts'

type Tools = Pick<PluginManager, 'getTool'>

/** An event as the caller gets it: without what is sensitive, and with a tool's own data as its result. */
export function shownEvent(event: AgentEvent, tools: Tools): AgentEvent {
  if (event.type === 'tool_call_started') {
    const { toolName, arguments: given } = event.data
    return { ...event, data: { ...event.data, arguments: maskedBy(tools, toolName, given) } }
  }
  if (event.type === 'tool_call_completed') {
    const { result, ...data } = event.data
    const { data: own } = readResult(result ?? '')
    return { ...event, data: own === undefined ? data : { ...data, result: own } }
  }
  if (event.type === 'confirmation_required') return { ...event, data: shownConfirmation(event.data, tools) }
  return event
}

type Confirmation = Extract<AgentEvent, { type: 'confirmation_required' }>['data']

function shownConfirmation(asked: Confirmation, tools: Tools): Confirmation {
  const { toolName, arguments: given } = asked.pendingConfirmation
  const shown = maskedBy(tools, toolName, given)
  if (shown === given) return asked
  const [what] = asked.preview.split('{')
  return {
    ...asked,
    action: { ...asked.action, target: targetOf(shown), params: shown },
    preview: `${what}${JSON.stringify(shown, null, 2)}`,
    pendingConfirmation: { ...asked.pendingConfirmation, arguments: shown },
  }
}

function targetOf({ target, name }: Record<string, unknown>): string {
  const value = target ?? name ?? 'unknown'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function maskedBy(tools: Tools, name: string, args: Record<string, unknown>): Record<string, unknown> {
  const tool = tools.getTool(name)
  return tool ? masked(tool.parameters, args) : args
}
