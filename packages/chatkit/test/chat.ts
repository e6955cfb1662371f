// The linter reads tests outside of any project and needs to be told.
/// <reference lib="esnext.disposable" />
import type { ChatAdapter } from '../src/model/chat-adapter.ts'
import type { ChatMessage } from '../src/model/chat-message.ts'
import type { ChatOp } from '../src/model/chat-op.ts'
import type { ChatState } from '../src/store/chat-state.ts'
import { type ChatStore, createChatStore } from '../src/store/create-chat-store.ts'
import type { ChatStoreOptions } from '../src/store/store-options.ts'

/** A store that ends with the test. */
export function openChat(options: ChatStoreOptions): ChatStore & Disposable {
  const store = createChatStore(options)
  return Object.assign(store, { [Symbol.dispose]: store.dispose })
}

/** Resolves with the first state that satisfies the claim. */
export function until(store: ChatStore, claim: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const look = () => {
      if (!claim(store.getSnapshot())) return
      unsubscribe()
      resolve(store.getSnapshot())
    }
    const unsubscribe = store.subscribe(look)
    look()
  })
}

export type Script = {
  adapter: ChatAdapter
  /** What the adapter was asked, in order. */
  calls: unknown[][]
  /** Says something in the run under way. */
  say(...ops: ChatOp[]): Promise<void>
  /** Number of runs that were cut off before they ended. */
  aborted(): number
}

/** An adapter that says what the test tells it to, when the test tells it to. */
export function scripted(extra: Partial<ChatAdapter> = {}): Script {
  const calls: unknown[][] = []
  let queue: ChatOp[] = []
  let wake = () => {}
  let aborted = 0
  const adapter: ChatAdapter = {
    name: 'Script',
    isAuthError: (status) => status === 401,
    async *send(request, io) {
      calls.push(['send', request])
      queue = []
      io.signal.addEventListener('abort', () => wake(), { once: true })
      try {
        for (;;) {
          if (io.signal.aborted) return
          yield* queue.splice(0)
          await new Promise<void>((resolve) => {
            wake = resolve
            if (queue.length > 0) resolve()
          })
        }
      } finally {
        if (io.signal.aborted) aborted += 1
      }
    },
    ...extra,
  }
  const say = async (...ops: ChatOp[]) => {
    queue.push(...ops)
    wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { adapter, calls, say, aborted: () => aborted }
}

/** Ops become state at once: tests see every step. */
export const atOnce = (flush: () => void) => {
  let isOff = false
  queueMicrotask(() => isOff || flush())
  return () => {
    isOff = true
  }
}

export function shape(message: ChatMessage | undefined): unknown[] {
  return (message?.content ?? []).map(({ type, content }) => [type, content])
}
