import { toChatKitError } from '../model/chat-kit-error.ts'
import type { Bridge } from './bridge.ts'
import type { Runs } from './runs.ts'
import type { StoreGround } from './store-ground.ts'
import { watchConversation } from './watch-conversation.ts'

type Others = { runs: Pick<Runs, 'active'>; bridge: Bridge }

/** Keeps the shown conversation up to date with what others do in it, where the back end can tell. Returns the end. */
export function startFollowing(ground: StoreGround, { runs, bridge }: Others): () => void {
  const { dispatch, options, openIO } = ground
  const { adapter } = options
  let current: AbortController | null = null

  const follow = async (id: string, signal: AbortSignal) => {
    for await (const op of adapter.follow?.(id, openIO(signal)) ?? []) {
      if (signal.aborted) return
      // A run of our own tells everything itself.
      if (op.op === 'bridge') bridge.deliver(op)
      else if (!runs.active()) dispatch({ type: 'run:ops', ops: [op] })
    }
  }

  const turnTo = (conversationID: string) => {
    current?.abort()
    current = conversationID ? new AbortController() : null
    const { signal } = current ?? {}
    if (!signal) return
    follow(conversationID, signal).catch((error: unknown) => {
      if (!signal.aborted) options.onError(toChatKitError(error))
    })
  }

  if (!adapter.follow) return () => {}
  // Not before something happens: a store that React made and threw away must not hold a connection.
  const unsubscribe = watchConversation(ground, '', turnTo)
  return () => {
    unsubscribe()
    current?.abort()
  }
}
