import { MAX_LENGTH } from '../model/max-length.ts'
import type { ApplicationContext } from '../model/application-context.ts'
import type { ChatAdapter } from '../model/chat-adapter.ts'
import type { ChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { languageTag, pageLanguage } from '../model/page-language.ts'
import { textsOf } from '../model/texts.ts'
import type { Schedule } from './state-holder.ts'

export type ChatStoreOptions = {
  adapter: ChatAdapter
  /** Opened when the kit is first shown, and continued by the next message. */
  conversationID?: string | undefined
  /**
   * Keeps the conversation and the text box over a reload, in this tab's session storage; never a token, no attachments.
   * A name tells several chats of a page apart. `true`: by the adapter's `place`; without one nothing is kept.
   * Default: true for `<ChatKit>` and `mountChatKit`, else false. `conversationID` wins over what was kept.
   */
  remember?: boolean | string | undefined
  defaultApplicationContext?: ApplicationContext | undefined
  token?: string | undefined
  refreshToken?: (() => Promise<string>) | undefined
  user?: { name?: string; avatar?: string } | undefined
  assistant?: { name?: string; avatar?: string } | undefined
  /** In UTF-16 units. Default 32 768. */
  maxLength?: number | undefined
  /** What `send` does during a run. Default `reject`. */
  whileStreaming?: 'reject' | 'queue' | 'interrupt' | undefined
  /** `eager` creates a conversation when first shown. Default `lazy`: with the first message. */
  conversationStart?: 'lazy' | 'eager' | undefined
  /** Default: the `lang` of the page. */
  locale?: string | undefined
  /** Default 60 000. */
  idleTimeoutMs?: number | undefined
  /** Default: the global one. */
  fetch?: typeof fetch | undefined
  /** When streamed ops become state. Default: every 16 ms; a page passes its frames. */
  schedule?: Schedule | undefined
  onError?: ((error: ChatKitError) => void) | undefined
  /** A user message was sent, or an answer has ended. */
  onMessage?: ((message: ChatMessage) => void) | undefined
  onConversationChange?: ((conversationID: string) => void) | undefined
  onBridge?: ((action: string, payload: unknown, info: { toolCallID: string }) => void) | undefined
}

export type StoreOptions = ReturnType<typeof resolveStoreOptions>

/** Defaults, once; inside, nothing is optional but what may really be missing. */
export function resolveStoreOptions(options: ChatStoreOptions) {
  const { adapter, maxLength = MAX_LENGTH, idleTimeoutMs = 60_000 } = options
  const locale = options.locale ? languageTag(options.locale) : pageLanguage()
  const texts = textsOf(locale)
  return {
    adapter,
    locale,
    maxLength,
    idleTimeoutMs,
    texts,
    token: options.token ?? '',
    refreshToken: options.refreshToken,
    conversationID: options.conversationID ?? '',
    remember: memoryName(options),
    defaultApplicationContext: options.defaultApplicationContext,
    user: { name: options.user?.name ?? texts.userName, avatar: options.user?.avatar ?? '' },
    /** What the host called the user; no name is not the same as "User". */
    userName: options.user?.name ?? '',
    assistant: { name: options.assistant?.name ?? texts.assistantName, avatar: options.assistant?.avatar ?? '' },
    whileStreaming: options.whileStreaming ?? 'reject',
    conversationStart: options.conversationStart ?? 'lazy',
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => globalThis.fetch(...request)),
    schedule: options.schedule,
    onError: options.onError ?? (() => {}),
    onMessage: options.onMessage ?? (() => {}),
    onConversationChange: options.onConversationChange ?? (() => {}),
    onBridge: options.onBridge ?? (() => {}),
  }
}

/** Another server is another memory, whatever the page calls its chats. */
function memoryName({ adapter, remember = false }: ChatStoreOptions): string | undefined {
  const { name, place } = adapter
  if (remember === false || remember === '' || (remember === true && place === undefined)) return undefined
  return [name, place, remember === true ? undefined : remember].filter((part) => part !== undefined).join(' ')
}
