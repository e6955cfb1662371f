import { createContext, useContext, type ComponentType, type ReactNode } from 'react'
import type { MarkdownOptions } from '../../markdown/markdown-options.ts'
import type { ContentBlock } from '../../model/content-block.ts'
import type { ChatKitError } from '../../model/chat-kit-error.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ChatStore } from '../../store/create-chat-store.ts'
import type { ComposerPartProps } from '../composer/composer-handle.ts'
import type { SkinTexts } from '../texts/texts.ts'

export type BlockProps<B extends ContentBlock = ContentBlock> = {
  block: B
  message: ChatMessage
  /** The block may still grow. */
  isStreaming: boolean
}

/** What the host allows beyond the safe default: nothing leaves the page because of text the model wrote. */
export type Security = {
  /** Hosts or origins whose images and icons load by themselves. */
  imageHosts?: readonly string[]
  /** Origins whose pages load in a frame without a click. */
  frameOrigins?: readonly string[]
  /** Origins that cards may talk to (their Content-Security-Policy). */
  cardOrigins?: readonly string[]
  /**
   * Address of a page on another origin, for hosts whose own policy keeps scripts in `srcdoc` frames from running. It posts
   * `{ type: 'ck:frame' }` to its parent, gets `{ type: 'ck:html', html }` and writes that into itself.
   */
  cardFrame?: string
  /** Write the host behind links whose text does not name it. Default true. */
  showDestinations?: boolean
}

/** What a host may put in place of the kit's own parts. */
export type KitComponents = {
  Avatar?: ComponentType<{ name: string; avatar: string; isUser: boolean }>
  Header?: ComponentType
  Onboarding?: ComponentType
  MessageTools?: ComponentType<{ message: ChatMessage; isLast: boolean }>
  /** Beside the thumbs of an answer that has one: where its comment is written. */
  FeedbackComment?: ComponentType<FeedbackCommentProps>
  /** The parts of the composer, in the order in which they stand. The kit's own have the same names and can be wrapped. */
  ContextChip?: ComponentType
  Attachments?: ComponentType
  TextBox?: ComponentType<ComposerPartProps>
  PlanningSwitch?: ComponentType
  AttachButton?: ComponentType<ComposerPartProps>
  SendButton?: ComponentType<ComposerPartProps>
  ComposerHint?: ComponentType<ComposerPartProps>
  /** In place of the text of a button; `name` says which. */
  Icon?: ComponentType<{ name: string }>
}

export type FeedbackCommentProps = {
  message: ChatMessage
  /** The thumb was pressed here just now, and asks for a reason. */
  isAsked: boolean
}

/** Extra classes for the parts of the kit, by part. */
export type KitClassNames = Partial<
  Record<
    | 'root'
    | 'header'
    | 'list'
    | 'message'
    | 'userMessage'
    | 'assistantMessage'
    | 'block'
    | 'tool'
    | 'composer'
    | 'onboarding'
    | 'history'
    | 'drawer',
    string
  >
>

export type KitOptions = {
  locale: string
  texts: SkinTexts
  security: Security
  components: KitComponents
  classNames: KitClassNames
  /** Where details open; `null` inside the kit. */
  drawerContainer: HTMLElement | null
  /** Block types drawn by the host, by type; wins over the registry. */
  blocks: Readonly<Record<string, ComponentType<BlockProps>>>
  markdown: Pick<MarkdownOptions, 'loadHighlighter' | 'loadMath' | 'renderDiagram'>
  /** Draws charts in place of the kit. */
  renderChart: ((chart: ChartRequest) => ReactNode) | undefined
  presetQuestions: 'send' | 'fill'
  announce: 'stream' | 'end' | 'status'
  sendWith: 'enter' | 'ctrl+enter'
  maxLength: number
  editable: boolean
  showAuthors: boolean
  ownMessages: 'start' | 'end'
  showStatistics: boolean
  disclaimer: string | null
  onError: (error: ChatKitError) => void
  onBridge: (action: string, payload: unknown, info: { toolCallID: string }) => void
}

export type ChartRequest = { type: string; title: string; options?: object; rows?: readonly Record<string, unknown>[] }

export type Kit = {
  store: ChatStore
  options: KitOptions
  /** Nothing can be answered, sent or asked again. */
  isReadOnly: boolean
}

/** What the host draws below a message. Apart from the options: hosts write it inline, and only it is drawn again then. */
export const AfterMessageContext = createContext<((message: ChatMessage) => ReactNode) | undefined>(undefined)

export const KitContext = createContext<Kit | null>(null)

export function useKit(): Kit {
  const kit = useContext(KitContext)
  if (!kit) throw new Error('This part of ChatKit stands outside of <ChatKitProvider>. Put the provider around it.')
  return kit
}

export const useTexts = (): SkinTexts => useKit().options.texts
export const useStore = (): ChatStore => useKit().store
