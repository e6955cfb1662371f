import { useChatState } from '@parley/chatkit'
import { useEffect } from 'react'
import { useUiBridgeStore } from '../sessions/ui-bridge-store.ts'
import type { View } from './view-context.ts'

/** Does what the page asked of this chat: adds to the draft at once, sends when no run is under way. */
export function usePageRequests({ store, sessionId }: Pick<View, 'store' | 'sessionId'>): void {
  const drafts = useUiBridgeStore((state) => state.draftAppendsBySession[sessionId]!)
  const requests = useUiBridgeStore((state) => state.sendRequestsBySession[sessionId]!)
  const isIdle = useChatState(({ status }) => status === 'idle')
  useEffect(() => {
    for (const text of useUiBridgeStore.getState().takeDraftAppends(sessionId)) {
      const { textInput } = store.getSnapshot()
      store.setTextInput(textInput === '' || /\s$/.test(textInput) ? textInput + text : `${textInput} ${text}`)
    }
  }, [store, sessionId, drafts])
  useEffect(() => {
    if (!isIdle || requests.length === 0) return
    const [first, ...others] = useUiBridgeStore.getState().takeSendRequests(sessionId)
    if (!first) return
    // One after the other: the next one waits for the end of this run.
    for (const { id: _, ...later } of others) useUiBridgeStore.getState().addSendRequest(sessionId, later)
    const { mode, text } = first
    if (mode) store.setMode(mode)
    const draft = store.getSnapshot().textInput
    const sent = text === undefined ? draft && store.send(draft, { fromInput: true }) : store.send(text)
    if (sent) sent.catch(() => {}) // The list shows it.
  }, [store, sessionId, isIdle, requests])
}
