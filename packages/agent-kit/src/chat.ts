'use client'

/** `@blade-hq/agent-kit/chat`, name by name. */
export { ChatView } from './view/chat-view.tsx'
export type {
  AnswerProps,
  AssistantTurnProps,
  ChatViewClassNames,
  ChatViewComponents,
  ChatViewFeatures,
  ChatViewProps,
  EmptyStateProps,
  PreviewCard,
  SkillStatusBarProps,
  ToolCallProps,
  ToolRendererProps,
  UserMessageProps,
} from './view/chat-view-props.ts'
