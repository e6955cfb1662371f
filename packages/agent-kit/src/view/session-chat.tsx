import {
  ChatKitProvider,
  joinClasses,
  parley,
  resolveLocale,
  StoreProvider,
  useChatKit,
  type BlockProps,
  type KitClassNames,
  type ParleyOptions,
} from '@parley/chatkit'
import type { ParleyClient } from '@parley/client'
import { memo, useMemo, useState, type ComponentType } from 'react'
import { Announcer } from './announcer.tsx'
import { Banner } from './banner.tsx'
import { CallBlock } from './call-block.tsx'
import { CardBlock, PreviewPanel } from './card-block.tsx'
import type { ChatViewClassNames, ChatViewProps, PreviewCard } from './chat-view-props.ts'
import { Conversation } from './conversation.tsx'
import { createDisplay, FAILURE_BLOCK, TURN_BLOCK } from './display-messages.ts'
import { FailureBlockView } from './failure-block.tsx'
import { InputArea } from './input-area.tsx'
import { CopyTool } from './message-tools.tsx'
import { sessionChatStore } from './session-chat-store.ts'
import { TextBlockView } from './text-block.tsx'
import { viewTexts } from './texts.ts'
import { TurnBlockView } from './turn-block.tsx'
import { useLiveCallbacks } from './use-live-callbacks.ts'
import { usePageRequests } from './use-page-requests.ts'
import { useStable } from './use-stable.ts'
import { useView, ViewContext, type View } from './view-context.ts'

/** Tools may be silent for hours; the session itself tells when a run is over. The longest a timer can be. */
const IDLE_TIMEOUT_MS = 2 ** 31 - 1
const MAX_LENGTH = 100_000

const BLOCKS = {
  Markdown: TextBlockView,
  Tool: CallBlock,
  WebSearch: CallBlock,
  Question: CallBlock,
  Confirmation: CallBlock,
  SubAgent: CallBlock,
  UiCard: CardBlock,
  [TURN_BLOCK]: TurnBlockView,
  [FAILURE_BLOCK]: FailureBlockView,
} as Record<string, ComponentType<BlockProps>>

export type SessionChatProps = Omit<ChatViewProps, 'sessionId'> & { client: ParleyClient; sessionId: string }

/** The chat of one session. */
export function SessionChat(props: SessionChatProps) {
  const { client, sessionId } = props
  // Read at every message: the selector changes `model` in place, and the adapter with its messages stays.
  const options = useMemo((): ParleyOptions => ({ client }), [client])
  const adapter = useMemo(() => parley(options), [options])
  const onModel = useMemo(
    () => (model: string | undefined) => {
      if (model === undefined) delete options.model
      else options.model = model
    },
    [options],
  )
  const locale = resolveLocale(props.locale)
  return (
    <ChatKitProvider
      adapter={adapter}
      conversationID={sessionId}
      locale={locale}
      idleTimeoutMs={IDLE_TIMEOUT_MS}
      maxLength={MAX_LENGTH}
    >
      <ChatOfSession {...props} locale={locale} onModel={onModel} />
    </ChatKitProvider>
  )
}

type ChatOfSessionProps = SessionChatProps & { locale: string; onModel: (model: string | undefined) => void }

function ChatOfSession({ client, sessionId, locale, onModel, ...props }: ChatOfSessionProps) {
  const { store: base } = useChatKit()
  const classNames = useStable(props.classNames)
  const components = useStable(props.components)
  const renderers = useStable(props.renderers?.tool)
  const features = useStable(props.features)
  const [card, setCard] = useState<PreviewCard | null>(null)
  const isUserReplaced = components.UserMessage !== undefined
  const isTurnReplaced = components.AssistantTurn !== undefined
  const kitClassNames = useMemo(() => kitClasses(classNames), [classNames])
  const store = useMemo(() => {
    const display = createDisplay({ user: isUserReplaced, assistant: isTurnReplaced })
    return sessionChatStore(base, { client, sessionId, display })
  }, [base, client, sessionId, isUserReplaced, isTurnReplaced])
  const { onPreview } = props
  const view = useMemo(
    (): View => ({
      ...{ client, sessionId, store, locale, texts: viewTexts(locale), classNames, components, renderers, features },
      preview: onPreview ?? setCard,
      onAnswer: (_text, questionID, { selections = {}, custom = {} }) =>
        void store.answerQuestion({ questionID, selections, custom }).catch(() => {}), // The list shows it.
    }),
    [client, sessionId, store, locale, classNames, components, renderers, features, onPreview],
  )
  const { theme = 'system' } = props
  return (
    <ViewContext.Provider value={view}>
      <StoreProvider
        store={store}
        locale={locale}
        blocks={BLOCKS}
        classNames={kitClassNames}
        components={isUserReplaced || isTurnReplaced ? COPY_ONLY : NO_COMPONENTS}
        maxLength={MAX_LENGTH}
        disclaimer={null}
        editable={false}
      >
        <LiveParts {...props} />
        <div
          className={joinClasses('ck-root ak-view', classNames.root)}
          data-theme={theme === 'system' ? 'auto' : theme}
          data-own-user={isUserReplaced || undefined}
          data-own-turn={isTurnReplaced || undefined}
          lang={locale}
          role="region"
          aria-label={view.texts.chat}
        >
          <Parts onModel={onModel} />
          {card ? <PreviewPanel card={card} onClose={() => setCard(null)} /> : null}
        </div>
      </StoreProvider>
    </ViewContext.Provider>
  )
}

/** The class names of parts that ChatKit draws. */
function kitClasses({ userMessage, assistantTurn }: ChatViewClassNames): KitClassNames {
  return {
    ...(userMessage !== undefined && { userMessage }),
    ...(assistantTurn !== undefined && { assistantMessage: assistantTurn }),
  }
}

const NO_COMPONENTS = {}
/** ChatKit's own tools read the blocks of a message, which are one here. */
const COPY_ONLY = { MessageTools: CopyTool }

/** Not drawn again with every piece of text. */
const Parts = memo(function Parts({ onModel }: Pick<ChatOfSessionProps, 'onModel'>) {
  return (
    <div className="ck-thread">
      <Banner />
      <Conversation />
      <InputArea onModel={onModel} />
      <Announcer />
    </div>
  )
})

/** Draws nothing: what goes on between the session and the page. */
function LiveParts({ commands, onToolCall, onPreview }: ChatViewProps) {
  const view = useView()
  usePageRequests(view)
  useLiveCallbacks(view, { commands, onToolCall, onPreview })
  return null
}
