import type { AgentSession } from '@parley/client'
import type { TurnProjection } from '@parley/protocol'
import { useGisStore } from './gis-store.ts'
import { watchTurns } from './watch-turns.ts'

/** What a tool asks of the page around the chat. */
export type BridgeAction = { id: string; action: string; payload: unknown; sessionId: string; toolCallId: string }

const listeners = new Set<(action: BridgeAction) => void>()

/** Hears of every bridge action of the sessions that are followed, each once. Returns the way back. */
export function onBridgeAction(listener: (action: BridgeAction) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Delivers the bridge actions of a session from now on. */
export function watchBridge(session: AgentSession): () => void {
  return watchTurns(session, actionsOf, (found) => deliver({ ...found, sessionId: session.id }))
}

function actionsOf({ blocks }: TurnProjection): Omit<BridgeAction, 'sessionId'>[] {
  return blocks.flatMap((block, index) => {
    if (block.type !== 'tool_bridge') return []
    const toolCallId = block.tool_call_id ?? ''
    const { action, payload } = block.content
    return [{ id: `${toolCallId}:${index}`, action, payload, toolCallId }]
  })
}

function deliver(action: BridgeAction): void {
  const { sessionId, id, payload } = action
  if (action.action.startsWith('map.'))
    useGisStore.getState().addMapCommand(sessionId, { id, action: action.action, payload })
  for (const listener of listeners) queueMicrotask(() => listener(action))
}
