import { chatKitError } from '../model/chat-kit-error.ts'
import { demand } from './demand.ts'
import type { StoreGround } from './store-ground.ts'

export type Uploads = ReturnType<typeof createUploads>

/** Files on their way into the input box. */
export function createUploads({ getSnapshot, dispatch, options: { adapter }, openIO }: StoreGround) {
  const pending = new Set<Promise<void>>()
  let isAwaited = false

  const upload = async (file: File) => {
    demand(adapter, 'upload')
    const io = openIO()
    const attachment = await adapter.upload(file, io, getSnapshot().conversationID || undefined)
    if (!io.signal.aborted) dispatch({ type: 'input:attach', attachment })
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
