import type { ChatAdapter } from '../model/chat-adapter.ts'
import { type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { OpenIO } from './adapter-io.ts'
import type { Runs } from './runs.ts'
import type { StateHolder } from './state-holder.ts'

export type FollowingOptions = {
  holder: StateHolder
  runs: Pick<Runs, 'active' | 'bridge'>
  adapter: Pick<ChatAdapter, 'follow'>
  openIO: OpenIO
  onError: (error: ChatKitError) => void
}

/** Keeps the shown conversation up to date with what others do in it, where the back end can tell. Returns the end. */
export function startFollowing({ holder, runs, adapter, openIO, onError }: FollowingOptions): () => void {
  let followed = ''
  let current: AbortController | null = null

  const follow = async (id: string, signal: AbortSignal) => {
    for await (const op of adapter.follow?.(id, openIO(signal)) ?? []) {
      if (signal.aborted) return
      // A run of our own tells everything itself.
      if (op.op === 'bridge') runs.bridge(op)
      else if (!runs.active()) holder.dispatch({ type: 'run:ops', ops: [op] })
    }
  }

  const look = () => {
    const { conversationID } = holder.getSnapshot()
    if (conversationID === followed) return
    followed = conversationID
    current?.abort()
    current = conversationID ? new AbortController() : null
    const { signal } = current ?? {}
    if (!signal) return
    follow(conversationID, signal).catch((error: unknown) => {
      if (!signal.aborted) onError(toChatKitError(error))
    })
  }

  if (!adapter.follow) return () => {}
  // Not before something happens: a store that React made and threw away must not hold a connection.
  const unsubscribe = holder.subscribe(look)
  return () => {
    unsubscribe()
    current?.abort()
  }
}
