import type { ConfirmationBlock, PlanBlock, QuestionBlock, TasksBlock } from './agent-blocks.ts'
import type { ApplicationContext } from './application-context.ts'
import { BlockType } from './block-type.ts'
import type { ChatKitError } from './chat-kit-error.ts'
import type { ContentBlock, MarkdownBlock, TextBlock, WebSearchBlock } from './content-block.ts'
import type {
  ChartBlock,
  CodeBlock,
  FileBlock,
  Json2PlotBlock,
  NoticeBlock,
  SourcesBlock,
  UiCardBlock,
  WebProcessorBlock,
} from './display-blocks.ts'
import type { Role } from './role.ts'
import type { ReasoningBlock, ToolBlock, ToolStatus } from './tool-block.ts'
import type { WebSearchResult } from './web-search.ts'

/**
 * `waiting`: no block yet. `stopped`: by the user; what was shown stays. `interrupted`: the server went down in the middle
 * of it; what was shown stays, and the answer goes on in the next message.
 */
export type MessageStatus = 'waiting' | 'streaming' | 'completed' | 'stopped' | 'interrupted' | 'failed'

/** One entry of the message list. Read-only by agreement: a message that changes becomes a new object. */
export type ChatMessage = {
  messageID: string
  /** The same value, for code written against the published kit. */
  messageId?: string
  role: Role
  /** In order of first appearance. */
  content: Array<Block>
  /** What went with a user message. */
  applicationContext?: ApplicationContext
  /** Assistant messages. */
  messageContext?: MessageContext
  /** Absent means `completed`. */
  status?: MessageStatus
  /** With `failed`. */
  error?: ChatKitError
  /** Milliseconds since the epoch. */
  createdAt?: number
  /** The message this one answers, or follows. */
  parentID?: string
  /** Assistant messages that follow each other with the same one share a header and a tool bar. */
  groupID?: string
  /** User messages: the id their sender gave them. The platform's own copy of the message carries it too. */
  client_message_id?: string
  /** Identity for lists: survives the platform renaming the message, so nothing is mounted again. */
  localID?: string
}

/** A sub-agent's turns, inside the message of the call that started it. */
export type SubAgentBlock = ContentBlock<
  BlockType.SubAgent,
  { toolCallID: string; title: string; status: ToolStatus; messages: ChatMessage[] }
>

/** Every block this version knows how to draw; `switch` over `type`. */
export type KnownBlock =
  | TextBlock
  | MarkdownBlock
  | WebSearchBlock
  | ToolBlock
  | ReasoningBlock
  | Json2PlotBlock
  | ChartBlock
  | CodeBlock
  | WebProcessorBlock
  | UiCardBlock
  | QuestionBlock
  | ConfirmationBlock
  | SubAgentBlock
  | PlanBlock
  | TasksBlock
  | SourcesBlock
  | FileBlock
  | NoticeBlock

/** What a message holds: a known block, or one of a newer server or of the host's own. */
export type Block = KnownBlock | ContentBlock

/** What adapters and subclasses may hand in: either spelling of the id, or none. */
export type ChatMessageInput = Omit<ChatMessage, 'messageID'> & { messageID?: string }

export type MessageContext = {
  relatedQuestions?: string[]
  elapsedSeconds?: number
  totalTokens?: number
  feedback?: 'like' | 'dislike' | undefined
  /** What was said with it. */
  feedbackComment?: string | undefined
  sources?: WebSearchResult[]
  /** Memories the answer used. */
  memories?: Array<{ id: string; title: string }>
}

/** A message with its id under both names. */
export function toChatMessage(input: ChatMessageInput, fallbackID = ''): ChatMessage {
  const id = input.messageID ?? input.messageId ?? fallbackID
  return { ...input, messageID: id, messageId: id }
}

const knownTypes: ReadonlySet<string> = new Set(Object.values(BlockType))

/** Narrows to the blocks that have a component; all others are drawn as "unsupported content". */
export function isKnownBlock(block: ContentBlock): block is KnownBlock {
  return knownTypes.has(block.type)
}
