import { useCallback } from 'react'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatStore } from '../../store/create-chat-store.ts'
import { useKit } from '../kit/kit-context.ts'

const reported = new WeakSet<ChatStore>()

/** Tells the host, once per chat, that its own policy keeps scripts of cards and diagrams from running. */
export function useUnsupported(): () => void {
  const { store, options } = useKit()
  const { onError } = options
  return useCallback(() => {
    if (reported.has(store)) return
    reported.add(store)
    const message =
      "The page's Content-Security-Policy has no 'unsafe-inline', so scripts of cards and diagrams do not run in their frames. Set security.cardFrame to a page on another origin that writes what it gets by message."
    onError(chatKitError('unsupported', message))
  }, [store, onError])
}
