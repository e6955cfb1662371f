import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import type { Sending, SendOptions } from './sending.ts'
import type { StateHolder } from './state-holder.ts'

type Waiting = {
  id: string
  text: string
  settings: SendOptions
  resolve: (answer: Promise<ChatMessage | undefined>) => void
  reject: (error: Error) => void
}

const MAX_WAITING = 5

/** Messages that wait for the active run, in order. */
export function createSendQueue(holder: StateHolder, { start, takeInput }: Pick<Sending, 'start' | 'takeInput'>) {
  let waiting: Waiting[] = []

  const change = (next: Waiting[]) => {
    waiting = next
    holder.dispatch({ type: 'set', patch: { queue: waiting.map(({ id, text }) => ({ id, text })) } })
  }

  const leave = (entries: Waiting[]) => {
    for (const { reject } of entries) reject(chatKitError('aborted', 'The waiting message was removed.'))
  }

  return {
    add(text: string, settings: SendOptions): Promise<ChatMessage | undefined> {
      if (waiting.length >= MAX_WAITING)
        return Promise.reject(chatKitError('busy', `${MAX_WAITING} messages are already waiting.`))
      const { promise, resolve, reject } = Promise.withResolvers<ChatMessage | undefined>()
      change([...waiting, { id: newID('queued'), text, settings: takeInput(settings), resolve, reject }])
      return promise
    },
    remove: (id: string): void => {
      const removed = waiting.filter((entry) => entry.id === id)
      if (removed.length > 0) change(waiting.filter((entry) => entry.id !== id))
      leave(removed)
    },
    drop(): void {
      const dropped = waiting
      if (dropped.length > 0) change([])
      leave(dropped)
    },
    /** The way is free for the oldest one. */
    next(): void {
      const [first, ...rest] = waiting
      if (!first) return
      change(rest)
      first.resolve(start(first.text, first.settings).finished)
    },
  }
}
