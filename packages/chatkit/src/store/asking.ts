import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { RoleType } from '../model/role.ts'
import { textOfMessage } from '../model/text-of-message.ts'
import { busy, type Runs } from './runs.ts'
import type { SendQueue } from './send-queue.ts'
import type { Sending, SendOptions } from './sending.ts'
import type { StoreGround } from './store-ground.ts'
import type { Uploads } from './uploads.ts'

type Others = { runs: Runs; sending: Sending; queue: SendQueue; uploads: Uploads }

/** Whether a message goes out now: not while another run is under way, here or elsewhere, unless the host wants that. */
export function createAsking(ground: StoreGround, { runs, sending, queue, uploads }: Others) {
  const { getSnapshot, openIO } = ground
  const { adapter, whileStreaming } = ground.options

  const checkIdle = () => {
    if (runs.active()) throw busy()
  }

  const terminateConversation = async (id: string): Promise<void> => {
    if (runs.active() && id === getSnapshot().conversationID) return runs.stop()
    await adapter.stop?.({ conversationID: id }, openIO())
  }

  const stop = async (): Promise<void> => {
    const { isActiveElsewhere, conversationID } = getSnapshot()
    return isActiveElsewhere ? terminateConversation(conversationID) : runs.stop()
  }

  const send = async (text: string, settings: SendOptions = {}): Promise<ChatMessage | undefined> => {
    sending.check(text, settings)
    if (settings.fromInput && uploads.hasPending()) await uploads.settled()
    if (!runs.active() && getSnapshot().isActiveElsewhere) {
      if (whileStreaming !== 'interrupt') throw busy()
      await stop()
    }
    if (whileStreaming === 'reject') checkIdle()
    if (runs.active()) {
      if (whileStreaming === 'queue') return queue.add(text, settings)
      void runs.stop()
    }
    return sending.start(text, settings).finished
  }

  return {
    send,
    stop,
    terminateConversation,
    async regenerate(messageID: string) {
      checkIdle()
      const { messages } = getSnapshot()
      const at = messages.findLastIndex(({ role }) => role.type === RoleType.User)
      const asked = messages[at]
      if (!asked || messages.at(-1)?.messageID !== messageID || messageID === asked.messageID)
        throw chatKitError('unsupported', 'Only the last answer can be asked for again.')
      return send(textOfMessage(asked), { regenerate: messages[at + 1]!.messageID })
    },
    async edit(messageID: string, text: string) {
      checkIdle()
      return send(text, { edit: messageID })
    },
  }
}
