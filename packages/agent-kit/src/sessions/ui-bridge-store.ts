import { create } from 'zustand'
import { bySession, type BySession, withList } from './by-session.ts'

/** Something the next message is about: a pill above the input. */
export type PendingContext = { id: string; label: string; content: string }
/** Without a text, the draft is sent. */
export type SendRequest = { id: string; text?: string; mode?: 'planning' | 'executing' }

/** What the page asks of the chat; a chat that is shown later still does it. */
export type UiBridgeState = {
  pendingContextsBySession: BySession<PendingContext>
  draftAppendsBySession: BySession<string>
  sendRequestsBySession: BySession<SendRequest>
  /** A pill above the input, merged into the next message. The same label again replaces its content. */
  addPendingContext: (sessionId: string, context: { label: string; content: string }) => void
  removePendingContext: (sessionId: string, id: string) => void
  /** Adds to the text in the input. */
  addDraftAppend: (sessionId: string, text: string) => void
  /** Sends the text in the input, or the one given. */
  addSendRequest: (sessionId: string, request?: { text?: string; mode?: 'planning' | 'executing' }) => void
  /** Takes out what waits; each is handed out once. */
  takePendingContexts: (sessionId: string) => readonly PendingContext[]
  takeDraftAppends: (sessionId: string) => readonly string[]
  takeSendRequests: (sessionId: string) => readonly SendRequest[]
}

let lastId = 0
const newId = () => `ui_${(lastId += 1)}`

export const useUiBridgeStore = create<UiBridgeState>()((set, get) => ({
  pendingContextsBySession: bySession(),
  draftAppendsBySession: bySession(),
  sendRequestsBySession: bySession(),
  addPendingContext: (sessionId, { label, content }) =>
    set(({ pendingContextsBySession: lists }) => {
      const others = lists[sessionId]!.filter((context) => context.label !== label)
      return { pendingContextsBySession: withList(lists, sessionId, [...others, { id: newId(), label, content }]) }
    }),
  removePendingContext: (sessionId, id) =>
    set(({ pendingContextsBySession: lists }) => ({
      pendingContextsBySession: withList(
        lists,
        sessionId,
        lists[sessionId]!.filter((context) => context.id !== id),
      ),
    })),
  addDraftAppend: (sessionId, text) =>
    set(({ draftAppendsBySession: lists }) => ({
      draftAppendsBySession: withList(lists, sessionId, [...lists[sessionId]!, text]),
    })),
  addSendRequest: (sessionId, request = {}) =>
    set(({ sendRequestsBySession: lists }) => ({
      sendRequestsBySession: withList(lists, sessionId, [...lists[sessionId]!, { id: newId(), ...request }]),
    })),
  takePendingContexts(sessionId) {
    const { pendingContextsBySession: lists } = get()
    const taken = lists[sessionId]!
    if (taken.length > 0) set({ pendingContextsBySession: withList(lists, sessionId, []) })
    return taken
  },
  takeDraftAppends(sessionId) {
    const { draftAppendsBySession: lists } = get()
    const taken = lists[sessionId]!
    if (taken.length > 0) set({ draftAppendsBySession: withList(lists, sessionId, []) })
    return taken
  },
  takeSendRequests(sessionId) {
    const { sendRequestsBySession: lists } = get()
    const taken = lists[sessionId]!
    if (taken.length > 0) set({ sendRequestsBySession: withList(lists, sessionId, []) })
    return taken
  },
}))
