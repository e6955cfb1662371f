import { createRoot } from 'react-dom/client'
import { createChatStore, type ChatStore } from '../store/create-chat-store.ts'
import type { ChatKitComponentProps } from './chat-kit.tsx'
import { ChatKitView } from './chat-kit-view.tsx'
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
  const store = createChatStore({ ...props, schedule: everyFrame })
  const root = createRoot(element)
  let current = props
  const draw = () => root.render(<ChatKitView {...current} store={store} />)
  draw()
  if (props.visible !== false) void store.initialise()
  if (props.initialQuestion) void store.send(props.initialQuestion).catch(() => {}) // The list shows it.
  return {
    ...store,
    store,
    update: (more) => {
      current = { ...current, ...more }
      draw()
    },
    unmount: () => {
      root.unmount()
      store.dispose()
    },
  }
}
