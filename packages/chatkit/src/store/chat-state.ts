import type { Attachment, ChatMode } from '../model/chat-adapter.ts'
import type { ApplicationContext, OnboardingInfo } from '../model/application-context.ts'
import type { ChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'

/** Everything the kit shows. Immutable; what did not change is the same object as before. */
export type ChatState = {
  /** `''` when there is none. */
  readonly conversationID: string
  readonly messages: ChatMessage[]
  /** The active run; null when none. `messageID` is `''` until its answer stands in the list. */
  readonly run: { readonly id: string; readonly messageID: string } | null
  /** `waiting`: sent, nothing shown yet. */
  readonly status: 'idle' | 'waiting' | 'streaming'
  /** A run is under way that was begun elsewhere: in another tab, or before this page was loaded. */
  readonly isActiveElsewhere: boolean
  readonly connection: 'connected' | 'reconnecting'
  readonly textInput: string
  /** What the host injected; see `effectiveContext`. */
  readonly applicationContext: ApplicationContext | undefined
  readonly defaultApplicationContext: ApplicationContext | undefined
  readonly attachments: Attachment[]
  /** What the next message asks for. */
  readonly mode: ChatMode
  /** The user chose the mode; until then it is the conversation's own and is not asked for. */
  readonly isModeChosen: boolean
  /** Messages that wait for the active run to end, oldest first. */
  readonly queue: readonly QueuedMessage[]
  readonly onboarding: { readonly status: 'idle' | 'loading' | 'ready'; readonly info?: OnboardingInfo }
  readonly history: ConversationList
  /** Older versions, by the id of the message before the first one that differs; `''` for the first message. */
  readonly branches: Readonly<Record<string, BranchPoint>>
  /** Why starting or opening a conversation failed. */
  readonly conversationError: ChatKitError | null
}

export type QueuedMessage = { readonly id: string; readonly text: string }

export type ConversationList = {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  readonly items: ConversationHistory[]
  readonly hasMore: boolean
  readonly error: ChatKitError | null
}

/** Every version of what follows one message. The active one's messages stand in the list, not here. */
export type BranchPoint = {
  readonly versions: ReadonlyArray<ChatMessage[]>
  readonly active: number
  /** Where the back end keeps the versions: its names for them. Their messages come when one is chosen. */
  readonly ids?: readonly string[]
}

export const initialChatState: ChatState = {
  conversationID: '',
  messages: [],
  run: null,
  status: 'idle',
  isActiveElsewhere: false,
  connection: 'connected',
  textInput: '',
  applicationContext: undefined,
  defaultApplicationContext: undefined,
  attachments: [],
  mode: 'executing',
  isModeChosen: false,
  queue: [],
  onboarding: { status: 'idle' },
  history: { status: 'idle', items: [], hasMore: false, error: null },
  branches: {},
  conversationError: null,
}

/** The context a message sent now would carry: the injected one, else the default, else none. */
export function effectiveContext(
  state: Pick<ChatState, 'applicationContext' | 'defaultApplicationContext'>,
): ApplicationContext | undefined {
  return state.applicationContext ?? state.defaultApplicationContext
}
