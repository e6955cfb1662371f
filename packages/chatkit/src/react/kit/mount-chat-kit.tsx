import { createRoot } from 'react-dom/client'
import { createChatStore, type ChatStore } from '../../store/create-chat-store.ts'
import { liveCallbacks } from '../../store/live-callbacks.ts'
import type { ChatKitComponentProps } from './chat-kit.tsx'
import { ChatKitView } from './chat-kit-view.tsx'
import { askFirst } from './ask-first.ts'
import { everyFrame } from './every-frame.ts'

export type MountedChatKit = Pick<
  ChatStore,
  'send' | 'stop' | 'createConversation' | 'injectApplicationContext' | 'removeApplicationContext' | 'loadConversation'
> & {
  store: ChatStore
  /** Changes how it looks; not which back end it talks to. */
  update: (props: Partial<Omit<ChatKitComponentProps, 'adapter'>>) => void
  unmount: () => void
}

/** Puts a chat into any page, without React on the caller's side. */
export function mountChatKit(element: Element, props: ChatKitComponentProps): MountedChatKit {
  let current = props
  const store = createChatStore({
    ...props,
    remember: props.remember ?? true,
    ...liveCallbacks(() => current),
    schedule: everyFrame,
  })
  const root = createRoot(element)
  let question = props.initialQuestion
  const draw = () => {
    root.render(<ChatKitView {...current} store={store} />)
    if (current.visible === false) return
    void store.initialise()
    if (question) void askFirst(store, question)
    question = undefined
  }
  draw()
  return {
    ...store,
    store,
    update: (more) => {
      current = { ...current, ...more }
      if (more.token !== undefined) store.tokens.setToken(more.token)
      draw()
    },
    unmount: () => {
      root.unmount()
      store.dispose()
    },
  }
}
