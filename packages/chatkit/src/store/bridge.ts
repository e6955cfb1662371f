import type { ChatOp } from '../model/chat-op.ts'

export type BridgeListener = (action: string, payload: unknown, info: { toolCallID: string }) => void

export type Bridge = ReturnType<typeof createBridge>

/** Actions for the host page, each delivered once: who follows a conversation tells of the same ones again and again. */
export function createBridge(onBridge: BridgeListener) {
  const delivered = new Set<string>()
  const listeners = new Set([onBridge])
  return {
    deliver: ({ id, action, payload, toolCallID = id }: Extract<ChatOp, { op: 'bridge' }>): void => {
      if (delivered.has(id)) return
      delivered.add(id)
      for (const listener of listeners) listener(action, payload, { toolCallID })
    },
    subscribe: (listener: BridgeListener): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
