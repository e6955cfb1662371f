import type { ChatOp } from '../model/chat-op.ts'
import type { ChatEvent } from './chat-event.ts'
import type { ChatState } from './chat-state.ts'
import { reduceChat } from './reduce-chat.ts'

/** Calls `flush` a little later; returns the way to call it off. A browser passes its frames. */
export type Schedule = (flush: () => void) => () => void

export type StateHolder = {
  getSnapshot: () => ChatState
  subscribe: (onChange: () => void) => () => void
  dispatch: (event: ChatEvent) => void
  /** Takes ops of the active run; any number of them make one change of state. */
  queueOps: (op: ChatOp) => void
  /** What is queued becomes state now. */
  flush: () => void
  /** After this nothing changes any more. */
  close: () => void
}

const FRAME_MS = 16

const everyFrame: Schedule = (flush) => {
  const timer = setTimeout(flush, FRAME_MS)
  return () => clearTimeout(timer)
}

/** The state as an external store: one immutable snapshot, and word when there is a new one. */
export function createStateHolder(initial: ChatState, schedule: Schedule = everyFrame): StateHolder {
  let state = initial
  let ops: ChatOp[] = []
  let cancelFlush: (() => void) | null = null
  let isClosed = false
  const listeners = new Set<() => void>()

  const apply = (event: ChatEvent) => {
    const next = reduceChat(state, event)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  const flush = () => {
    cancelFlush?.()
    cancelFlush = null
    const taken = ops
    ops = []
    if (taken.length > 0) apply({ type: 'run:ops', ops: taken })
  }

  return {
    getSnapshot: () => state,
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    dispatch(event) {
      if (isClosed) return
      // What arrived before an event is part of the state the event meets.
      flush()
      apply(event)
    },
    queueOps(op) {
      if (isClosed) return
      ops.push(op)
      cancelFlush ??= schedule(flush)
    },
    flush,
    close() {
      isClosed = true
      cancelFlush?.()
      ops = []
      listeners.clear()
    },
  }
}
