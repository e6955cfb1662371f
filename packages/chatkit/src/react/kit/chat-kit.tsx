import { useEffect, useRef } from 'react'
import { askFirst } from './ask-first.ts'
import { ChatKitProvider, type ChatKitProviderProps } from './chat-kit-provider.tsx'
import { KitRoot, type ViewProps } from './chat-kit-view.tsx'
import { useStore } from './kit-context.ts'

export type ChatKitComponentProps = Omit<ChatKitProviderProps, 'children'> &
  ViewProps & {
    className?: string
    /** Sent once when first visible, not sending, and the list is empty. */
    initialQuestion?: string | undefined
  }

/** Everything: a chat with one back end, and the interface to it. */
export function ChatKit(props: ChatKitComponentProps) {
  const {
    mode,
    theme,
    title,
    onClose,
    enableHistory,
    headerTools,
    afterComposer,
    className,
    initialQuestion,
    ...provider
  } = props
  const { visible = true } = props
  const view = {
    mode,
    theme,
    title,
    onClose,
    enableHistory,
    headerTools,
    afterComposer,
    ...(className !== undefined && { className }),
  }
  return (
    <ChatKitProvider {...provider}>
      {initialQuestion && visible ? <InitialQuestion text={initialQuestion} /> : null}
      {visible ? <KitRoot {...view} /> : null}
    </ChatKitProvider>
  )
}

function InitialQuestion({ text }: { text: string }) {
  const store = useStore()
  const isAsked = useRef(false)
  useEffect(() => {
    if (isAsked.current) return
    isAsked.current = true
    void askFirst(store, text)
  }, [store, text])
  return null
}
