import type { AdapterIO, ChatAdapter } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { StateHolder } from './state-holder.ts'

export type UploadsOptions = {
  holder: StateHolder
  adapter: Pick<ChatAdapter, 'name' | 'upload'>
  openIO: () => AdapterIO
}

/** Files on their way into the input box. */
export function createUploads({ holder, adapter, openIO }: UploadsOptions) {
  const pending = new Set<Promise<void>>()
  let isAwaited = false

  const upload = async (file: File) => {
    if (!adapter.upload) throw chatKitError('unsupported', `${adapter.name} takes no files.`)
    const io = openIO()
    const uploaded = await adapter.upload(file, io, holder.getSnapshot().conversationID || undefined)
    if (io.signal.aborted) return
    holder.dispatch({ type: 'set', patch: { attachments: [...holder.getSnapshot().attachments, uploaded] } })
  }

  return {
    add: async (file: File): Promise<void> => {
      const work = upload(file)
      pending.add(work)
      await work.finally(() => pending.delete(work))
    },
    /** What the user added goes along, also when it is not there yet; a file that cannot be had keeps the message back. */
    settled: async (): Promise<void> => {
      if (isAwaited) throw chatKitError('busy', 'The message waits for its files.')
      isAwaited = true
      try {
        await Promise.all(pending)
      } finally {
        isAwaited = false
      }
    },
    hasPending: () => pending.size > 0,
  }
}
