import type { TurnProjection } from '@parley/client'
import { useEffect, useRef } from 'react'
import { toolCallInfo } from '../messages/turn-messages.ts'
import { onBridgeAction } from '../sessions/bridge-actions.ts'
import { findHeldSession, holdSession } from '../sessions/held-sessions.ts'
import { showSession } from '../sessions/shown-sessions.ts'
import { watchTurns } from '../sessions/watch-turns.ts'
import type { ChatViewProps, PreviewCard } from './chat-view-props.ts'
import type { View } from './view-context.ts'

type Callbacks = Pick<ChatViewProps, 'commands' | 'onToolCall' | 'onPreview'>

/** Tells the page what happens in the session while this chat shows it. */
export function useLiveCallbacks(
  { client, sessionId }: Pick<View, 'client' | 'sessionId'>,
  callbacks: Callbacks,
): void {
  const latest = useRef(callbacks)
  latest.current = callbacks
  useEffect(() => {
    const release = holdSession(client, sessionId)
    const session = findHeldSession(client, sessionId)!
    const undo = [
      onBridgeAction((action) => {
        const { commands = {} } = latest.current
        const isOwn = action.sessionId === sessionId && Object.hasOwn(commands, action.action)
        if (isOwn) commands[action.action]?.(action.payload)
      }),
      watchTurns(
        session,
        ({ tool_calls }) => tool_calls,
        (call) => latest.current.onToolCall?.(toolCallInfo(call)),
      ),
      watchTurns(session, previewsOf, ({ card }) => latest.current.onPreview?.(card)),
      showSession(sessionId),
      release,
    ]
    return () => {
      for (const stop of undo) stop()
    }
  }, [client, sessionId])
}

function previewsOf({ blocks }: TurnProjection): { id: string; card: PreviewCard }[] {
  return blocks.flatMap((block, index) => {
    if (block.type !== 'tool_ui' || block.content.target !== 'preview') return []
    const { resourceHTML, resourceUri, height, title } = block.content
    const toolCallId = block.tool_call_id ?? ''
    const card = {
      toolCallId,
      ...(resourceHTML != null && { resourceHTML }),
      ...(resourceUri != null && { resourceUri }),
      ...(height != null && { height }),
      ...(title != null && { title }),
    }
    return [{ id: `${toolCallId}:${index}`, card }]
  })
}
