'use client'

/** The public surface of the kit, name by name. */
// The specification: types, enums, classes.
export { BlockType } from './model/block-type.ts'
export { RoleType } from './model/role.ts'
export type { Role } from './model/role.ts'
export type { WebSearchQuery, WebSearchResult } from './model/web-search.ts'
export type { ContentBlock, MarkdownBlock, TextBlock, WebSearchBlock } from './model/content-block.ts'
export type { ApplicationContext, EventStreamMessage, OnboardingInfo } from './model/application-context.ts'
export { isKnownBlock, toChatMessage } from './model/chat-message.ts'
export type {
  Block as MessageBlock,
  ChatMessage,
  ChatMessageInput,
  KnownBlock,
  MessageContext,
  MessageStatus,
  SubAgentBlock,
} from './model/chat-message.ts'
export { toMilliseconds } from './model/conversation-history.ts'
export type { ConversationHistory } from './model/conversation-history.ts'
export type { ReasoningBlock, ToolBlock, ToolCall, ToolStatus } from './model/tool-block.ts'
export type {
  ChartBlock,
  CodeBlock,
  FileBlock,
  FileInfo,
  Json2PlotBlock,
  NoticeBlock,
  Plot,
  PlotField,
  Source,
  SourcePassage,
  SourcesBlock,
  UiCard,
  UiCardBlock,
  WebProcessorBlock,
} from './model/display-blocks.ts'
export type {
  AnsweredQuestion,
  AnswerState,
  AskReason,
  ConfirmationBlock,
  ConfirmationCard,
  FileChange,
  PlanBlock,
  QuestionBlock,
  QuestionForm,
  QuestionItem,
  TasksBlock,
} from './model/agent-blocks.ts'
export { chatKitError, isChatKitError } from './model/chat-kit-error.ts'
export type { ChatKitError, ChatKitErrorCode, ChatKitErrorDetails, Decided } from './model/chat-kit-error.ts'
export { ChatKitBase } from './class/chat-kit-base.ts'
export { AssistantBase, CopilotBase } from './class/modes.ts'
export type { ChatKitInterface, MaybePromise } from './class/chat-kit-interface.ts'
export type { ChatKitProps } from './class/chat-kit-props.ts'
export type { BlockOptions } from './class/render-recorder.ts'
export {
  ChatKitAgentSSE,
  ChatKitAGUI,
  ChatKitCoze,
  ChatKitDify,
  ChatKitOneDragon,
  ChatKitOpenAI,
  ChatKitParley,
} from './class/ready-classes.ts'
export type { ReadyProps } from './class/ready-classes.ts'
// The store.
export { createChatStore } from './store/create-chat-store.ts'
export type { ChatStore } from './store/create-chat-store.ts'
export { effectiveContext } from './store/chat-state.ts'
export type { BranchPoint, ChatState, ConversationList, QueuedMessage } from './store/chat-state.ts'
export { branchOf } from './store/branches.ts'
export type { ChatStoreOptions } from './store/store-options.ts'
export type { SendOptions } from './store/sending.ts'
export type { Schedule } from './store/state-holder.ts'
// Adapters, and what one is made of.
export type {
  AdapterIO,
  Attachment,
  ChatAdapter,
  ChatMode,
  ChatHistory,
  ConfirmationAnswer,
  Feedback,
  QuestionAnswer,
  SendRequest,
} from './model/chat-adapter.ts'
export type { ChatOp, KeyedBlock } from './model/chat-op.ts'
export { createEventParser } from './stream/event-parser.ts'
export type { EventParser, EventParserOptions, StreamEvent } from './stream/event-parser.ts'
export { readEvents } from './stream/read-events.ts'
export type { ReadEventsOptions } from './stream/read-events.ts'
export { streamOps, streamSteps } from './stream/event-core.ts'
export type { EventCore } from './stream/event-core.ts'
export { contextPrompt } from './adapters/context-prompt.ts'
export { recogniseSearch } from './adapters/recognise-search.ts'
export type { ToolParsers } from './adapters/tool-ops.ts'
export type { ClientTool } from './adapters/client-tool.ts'
export { agentSse } from './adapters/agent-sse/agent-sse.ts'
export type { AgentSseOptions } from './adapters/agent-sse/agent-sse.ts'
export { agUi } from './adapters/ag-ui/ag-ui.ts'
export type { AgUiOptions } from './adapters/ag-ui/ag-ui.ts'
export { coze } from './adapters/coze/coze.ts'
export type { CozeOptions } from './adapters/coze/coze.ts'
export { dify } from './adapters/dify/dify.ts'
export type { DifyOptions } from './adapters/dify/dify.ts'
export { onedragon } from './adapters/onedragon/onedragon.ts'
export type { OneDragonOptions } from './adapters/onedragon/onedragon.ts'
export { openai } from './adapters/openai/openai.ts'
export type { OpenAIOptions } from './adapters/openai/openai.ts'
export type { ConversationStorage } from './adapters/openai/local-history.ts'
export { parley } from './adapters/parley/parley.ts'
export { createTurnMapper } from './adapters/parley/turn-messages.ts'
export type { TurnMapper } from './adapters/parley/turn-messages.ts'
export type { ParleyOptions } from './adapters/parley/parley.ts'
// React: everything, or the parts to compose it from.
export { ChatKit } from './react/kit/chat-kit.tsx'
export type { ChatKitComponentProps } from './react/kit/chat-kit.tsx'
export { ChatKitView } from './react/kit/chat-kit-view.tsx'
export type { ChatKitViewProps } from './react/kit/chat-kit-view.tsx'
export { ChatKitProvider, StoreProvider } from './react/kit/chat-kit-provider.tsx'
export type { ChatKitProviderProps, StoreProviderProps } from './react/kit/chat-kit-provider.tsx'
export { mountChatKit } from './react/kit/mount-chat-kit.tsx'
export type { MountedChatKit } from './react/kit/mount-chat-kit.tsx'
export { Thread } from './react/frame/thread.tsx'
export { MessageList } from './react/messages/message-list.tsx'
export { ReadOnlyThread } from './react/messages/read-only-thread.tsx'
export type { ReadOnlyThreadProps } from './react/messages/read-only-thread.tsx'
export { Message } from './react/messages/message.tsx'
export { FeedbackTools } from './react/messages/message-tools.tsx'
export type { FeedbackCommentProps } from './react/kit/kit-context.ts'
export { Block } from './react/blocks/block.tsx'
export { Composer } from './react/composer/composer.tsx'
export { TextBox } from './react/composer/text-box.tsx'
export { SendButton } from './react/composer/send-button.tsx'
export { AttachButton } from './react/composer/attach-button.tsx'
export { Attachments } from './react/composer/attachments.tsx'
export { PlanningSwitch } from './react/composer/planning-switch.tsx'
export { ComposerHint } from './react/composer/composer-hint.tsx'
export { Onboarding } from './react/frame/onboarding.tsx'
export { History } from './react/history/history.tsx'
export { ContextChip } from './react/composer/context-chip.tsx'
export { ToolState } from './react/blocks/tool-blocks.tsx'
export { joinClasses } from './react/controls/join-classes.ts'
export { Disclosure } from './react/controls/disclosure.tsx'
export type { DisclosureProps } from './react/controls/disclosure.tsx'
export { BlockRegistry } from './react/blocks/block-registry.ts'
export type { ToolRegistration } from './react/blocks/block-registry.ts'
export { useBlock, useChatKit, useChatState, useMessage } from './react/kit/use-chat-kit.ts'
export type { ChatKitHandle } from './react/kit/use-chat-kit.ts'
export { useComposer } from './react/composer/use-composer.ts'
export type { ComposerHandle, ComposerPartProps } from './react/composer/composer-handle.ts'
export { resolveLocale } from './react/kit/kit-options.ts'
export type { SkinProps } from './react/kit/kit-options.ts'
export type { BlockProps, ChartRequest, KitClassNames, KitComponents, Security } from './react/kit/kit-context.ts'
export type { BridgeAction } from './react/kit/bridge-event.ts'
export { everyFrame } from './react/kit/every-frame.ts'
export { resolveTexts } from './react/texts/texts.ts'
export type { SkinTexts } from './react/texts/texts.ts'
export { Markdown } from './markdown/markdown.tsx'
export type { MarkdownProps } from './markdown/markdown.tsx'
export { defaultMarkdownOptions, MarkdownOptionsProvider } from './markdown/markdown-options.ts'
export type {
  Highlighter,
  HighlightKind,
  HighlightSpan,
  MarkdownOptions,
  MarkdownTexts,
  MathRenderer,
} from './markdown/markdown-options.ts'
