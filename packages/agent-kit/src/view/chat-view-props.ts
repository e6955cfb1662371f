import type { SkillSummary } from '@parley/protocol'
import type { RecordedAnswer, SessionStatus } from '@parley/protocol'
import type { ComponentType, ReactNode } from 'react'
import type { ChatMessage, ToolCallInfo } from '../messages/chat-message.ts'
import type { ChatAnswer } from '../messages/use-chat.ts'

/** [W14.6] */
export type ChatViewProps = {
  /** Without one, a session is created. */
  sessionId?: string | null | undefined
  classNames?: ChatViewClassNames | undefined
  components?: ChatViewComponents | undefined
  renderers?: { tool?: Readonly<Record<string, ComponentType<ToolRendererProps>>> } | undefined
  /** Default `system`. */
  theme?: 'light' | 'dark' | 'system' | undefined
  /** Default: the page's `lang`. A server has no page: who renders there says it. */
  locale?: string | undefined
  features?: ChatViewFeatures | undefined
  /** What the agent's bridge actions do, by action; those not listed do nothing here. */
  commands?: Readonly<Record<string, (payload: unknown) => void>> | undefined
  /** A tool was called, in a run that this chat has seen begin. */
  onToolCall?: ((toolCall: ToolCallInfo) => void) | undefined
  /** A card for the side of the page has come, or was asked for. Without this, the chat shows it itself. */
  onPreview?: ((card: PreviewCard) => void) | undefined
}

export type ChatViewClassNames = Partial<
  Record<
    | 'root'
    | 'viewerBanner'
    | 'messageListRoot'
    | 'messageListContent'
    | 'messageListInner'
    | 'emptyState'
    | 'userMessage'
    | 'errorMessage'
    | 'assistantTurn'
    | 'assistantText'
    | 'toolCall'
    | 'chatInputRoot'
    | 'chatInputInner'
    | 'skillStatusBarRoot'
    | 'skillStatusBarInner',
    string
  >
>

/** Each gets, as `children`, what the chat would have drawn in its place. */
export type ChatViewComponents = {
  EmptyState?: ComponentType<EmptyStateProps>
  UserMessage?: ComponentType<UserMessageProps>
  AssistantTurn?: ComponentType<AssistantTurnProps>
  ToolCall?: ComponentType<ToolCallProps>
  SkillStatusBar?: ComponentType<SkillStatusBarProps>
}

export type ChatViewFeatures = {
  /** Default: true. */
  modelSelector?: boolean
  /** Default: true, in browsers that can. */
  voiceInput?: boolean
  /** Skills with `/` and `@`. Default: true. */
  skillMention?: boolean
}

/** What a replacement hands on to the parts it draws itself. */
export type AnswerProps = {
  /** Answers the question that a call asks. */
  onAnswer: (text: string, toolCallId: string, answer: ChatAnswer) => void
  /** What was answered, by the id of the call that asked. */
  answerData: Readonly<Record<string, RecordedAnswer>>
  sessionStatus: SessionStatus | null
}

export type EmptyStateProps = { sessionId: string; children?: ReactNode }
export type UserMessageProps = { message: ChatMessage; children?: ReactNode }
export type AssistantTurnProps = AnswerProps & { message: ChatMessage; children?: ReactNode }
export type ToolCallProps = AnswerProps & ToolRendererProps & { children?: ReactNode }
export type SkillStatusBarProps = { sessionId: string; skills: readonly SkillSummary[]; children?: ReactNode }

export type ToolRendererProps = {
  /** `arguments` is a JSON string. */
  toolCall: ToolCallInfo
}

/** A card that a tool made for the side of the page. */
export type PreviewCard = {
  toolCallId: string
  title?: string
  height?: number
  resourceHTML?: string
  resourceUri?: string
}
