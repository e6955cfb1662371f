import { useId, useState } from 'react'
import { isChatKitError, type ChatKitErrorCode } from '../../model/chat-kit-error.ts'
import type { ComposerHandle } from './composer-handle.ts'
import { useKit } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

/** What a composer needs, without markup. */
export function useComposer(): ComposerHandle {
  const { store, options } = useKit()
  const text = useChatState((state) => state.textInput)
  const isRunning = useChatState(({ status, isActiveElsewhere }) => status !== 'idle' || isActiveElsewhere)
  const hintID = useId()
  const [hint, setHint] = useState<ChatKitErrorCode>()
  const isTooLong = text.length > options.maxLength
  const refuse = (error: unknown) => setHint(isChatKitError(error) ? error.code : 'protocol')
  return {
    text,
    isRunning,
    // That somebody still answers is over with the answer.
    hint: isTooLong ? 'too_long' : hint === 'busy' && !isRunning ? undefined : hint,
    hintID,
    canSend: text.trim() !== '' && !isTooLong,
    setText: (value) => {
      setHint(undefined)
      store.setTextInput(value)
    },
    send: () => {
      if (text.trim() === '') return
      setHint(undefined)
      const before = store.getSnapshot().messages
      // A failure of the run is shown in the list; here only what was refused before it.
      store.send(text, { fromInput: true }).catch((error: unknown) => {
        if (store.getSnapshot().messages === before || (isChatKitError(error) && error.code === 'busy')) refuse(error)
      })
    },
    stop: () => void store.stop().catch(options.onError),
    addFiles: store.adapter.upload
      ? (files) => {
          for (const file of files) store.addAttachment(file).catch(refuse)
        }
      : undefined,
  }
}
