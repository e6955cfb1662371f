import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import type { Sending, SendOptions } from './sending.ts'
import type { StoreGround } from './store-ground.ts'

type Waiting = {
  id: string
  text: string
  settings: SendOptions
  resolve: (answer: Promise<ChatMessage | undefined>) => void
  reject: (error: Error) => void
}

const MAX_WAITING = 5

export type SendQueue = ReturnType<typeof createSendQueue>

/** Messages that wait for the active run, in order. */
export function createSendQueue({ dispatch }: StoreGround, { start, takeInput }: Pick<Sending, 'start' | 'takeInput'>) {
  let waiting: Waiting[] = []

  const take = (entries: readonly Waiting[]) => {
    if (entries.length === 0) return
    waiting = waiting.filter((entry) => !entries.includes(entry))
    dispatch({ type: 'queue:remove', ids: entries.map(({ id }) => id) })
  }

  const leave = (entries: readonly Waiting[]) => {
    take(entries)
    for (const { reject } of entries) reject(chatKitError('aborted', 'The waiting message was removed.'))
  }

  return {
    add(text: string, settings: SendOptions): Promise<ChatMessage | undefined> {
      if (waiting.length >= MAX_WAITING)
        return Promise.reject(chatKitError('busy', `${MAX_WAITING} messages are already waiting.`))
      const { promise, resolve, reject } = Promise.withResolvers<ChatMessage | undefined>()
      const message = { id: newID('queued'), text }
      waiting.push({ ...message, settings: takeInput(settings), resolve, reject })
      dispatch({ type: 'queue:add', message })
      return promise
    },
    remove: (id: string): void => leave(waiting.filter((entry) => entry.id === id)),
    drop: (): void => leave(waiting),
    /** The way is free for the oldest one. */
    next(): void {
      const [first] = waiting
      if (!first) return
      take([first])
      first.resolve(start(first.text, first.settings).finished)
    },
  }
}
