import type { ApplicationContext, OnboardingInfo } from './application-context.ts'
import type { ChatMessage, ChatMessageInput } from './chat-message.ts'
import type { ChatOp } from './chat-op.ts'
import type { ConversationHistory } from './conversation-history.ts'
import type { SourcePassage } from './display-blocks.ts'

/** A file that goes with a message. `id` or `url` is what `upload` gave. */
export type Attachment = { name: string; mediaType: string; size: number; id?: string; url?: string }

/** `planning`: the assistant proposes and changes nothing. */
export type ChatMode = 'planning' | 'executing'

export type SendRequest = {
  text: string
  context?: ApplicationContext
  /** Absent: the platform assigns it with the answer. */
  conversationID?: string
  /** The visible conversation, this message last. */
  messages: ChatMessage[]
  attachments: Attachment[]
  /** Id of the assistant message this run replaces. */
  regenerate?: string
  /** Id of the user message this one replaces. */
  edit?: string
  /** Absent where the back end has no modes, and where the user chose none: the conversation keeps its own. */
  mode?: ChatMode
  /** With this message the plan that waits is refused; one in `executing` mode approves it. */
  planDecision?: 'reject'
}

/** What an adapter needs of the world. */
export type AdapterIO = {
  /** Adds the token; refreshes it once when the platform refuses it. */
  fetch: typeof fetch
  token: () => string
  /** A newer token than this one, before it ends; the same when there is none. */
  renewToken: (stale: string) => Promise<string>
  /** The same rules for a call that does not go through `fetch`: made again once with a new token. */
  authorised: <Answer>(call: () => Promise<Answer>) => Promise<Answer>
  signal: AbortSignal
  locale: string
  /** Something arrived: the run is alive. Reading a stream with `readEvents` calls it. */
  alive: () => void
  /** Resolves after that many ms; rejects when the run ends first. */
  wait: (ms: number) => Promise<void>
}

/** An answer to a `Question` block. Keys are question numbers from `"0"`. */
export type QuestionAnswer = {
  questionID: string
  conversationID: string
  /** Question number → chosen option indexes. */
  selections: Record<string, number[]>
  /** Question number → free text. */
  custom: Record<string, string>
  /** The button, where the form has several. */
  action?: string
  /** The visible conversation, for platforms that do not keep it. */
  messages: ChatMessage[]
}

/** An answer to a `Confirmation` block. */
export type ConfirmationAnswer = {
  confirmationId: string
  conversationID: string
  approved: boolean
  editedArguments?: Record<string, unknown>
  messages: ChatMessage[]
}

/** One back end, as functions without state of their own. Features exist by the presence of their function. */
export interface ChatAdapter {
  name: string
  /** Whom it talks to, e.g. the server's origin: chats with others are remembered apart. */
  place?: string
  onboarding?(io: AdapterIO): Promise<OnboardingInfo>
  /** `''` means: the platform assigns the id with the first answer. */
  createConversation?(io: AdapterIO, title?: string): Promise<string>
  send(request: SendRequest, io: AdapterIO): AsyncIterable<ChatOp>
  stop?(run: { conversationID: string; handle?: unknown }, io: AdapterIO): Promise<void>
  /** Must the token be refreshed? `status` is 0 when there was no response; `error` the parsed body, or `{ message }`. */
  isAuthError(status: number, error: unknown): boolean
  history?: ChatHistory
  /** Shows another version of a message, by one of the `ids` that the op `branches` told. Absent: the page keeps versions. */
  selectVersion?(choice: { conversationID: string; versionID: string }, io: AdapterIO): Promise<void>
  /** The assistant can be asked to plan first. */
  hasPlanning?: boolean
  upload?(file: File, io: AdapterIO, conversationID?: string): Promise<Attachment>
  /** The content of a `File` block that has an `id` and no `url`. */
  download?(fileID: string, io: AdapterIO): Promise<Blob>
  /** The passage of a `Sources` entry that has an `id`. Fails with `not_found` when its document is gone. */
  openSource?(source: { conversationID: string; sourceID: string }, io: AdapterIO): Promise<SourcePassage>
  feedback?(feedback: Feedback, io: AdapterIO): Promise<void>
  /** The longest comment that `feedback` takes, in UTF-16 units. Absent: it takes none, and none is asked for. */
  commentLength?: number
  /** The run goes on; its ops go into a new assistant message. */
  answerQuestion?(answer: QuestionAnswer, io: AdapterIO): AsyncIterable<ChatOp>
  answerConfirmation?(answer: ConfirmationAnswer, io: AdapterIO): AsyncIterable<ChatOp>
  /** Follows a conversation that may change without us, until `io.signal` aborts. */
  follow?(conversationID: string, io: AdapterIO): AsyncIterable<ChatOp>
}

export type ChatHistory = {
  /** `page` from 1. */
  list(io: AdapterIO, page: number, size: number): Promise<ConversationHistory[]>
  load(id: string, io: AdapterIO): Promise<ChatMessageInput[]>
  remove(id: string, io: AdapterIO): Promise<void>
  rename?(id: string, title: string, io: AdapterIO): Promise<void>
}

export type Feedback = {
  conversationID: string
  messageID: string
  /** `null`: what was said before is taken back. */
  value: 'like' | 'dislike' | null
  comment?: string
}
