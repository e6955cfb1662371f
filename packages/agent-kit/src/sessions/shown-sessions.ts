import { createStore } from 'zustand'
import { useSessionStore } from './session-store.ts'

/** The sessions that chats on this page show, the latest last. */
const shown = createStore<{ ids: readonly string[] }>()(() => ({ ids: [] }))

/** A chat shows this session from now on. Returns the way back. */
export function showSession(sessionId: string): () => void {
  shown.setState(({ ids }) => ({ ids: [...ids, sessionId] }))
  return () => shown.setState(({ ids }) => ({ ids: ids.toSpliced(ids.lastIndexOf(sessionId), 1) }))
}

/** The session that a request without a name is about: the one that is shown, else the active one. */
export function currentSession(): string | null {
  return shown.getState().ids.at(-1) ?? useSessionStore.getState().activeSessionId
}

/** Calls `listener` when another session may be the current one. Returns the way back. */
export function onCurrentSession(listener: () => void): () => void {
  const undo = [shown.subscribe(listener), useSessionStore.subscribe(listener)]
  return () => {
    for (const stop of undo) stop()
  }
}
