import type { ViewProps } from '../react/kit/chat-kit-view.tsx'
import type { SkinProps } from '../react/kit/kit-options.ts'
import type { ChatStoreOptions } from '../store/store-options.ts'

/** Props of the class API: what the chat does, and how it looks. */
export type ChatKitProps = Omit<ChatStoreOptions, 'adapter' | 'schedule'> &
  SkinProps &
  ViewProps & {
    /** In front of paths given to `request()`. */
    baseUrl?: string | undefined
    /** Sent once when first visible, not sending, and the list is empty. */
    initialQuestion?: string | undefined
  }
