import type { ApplicationContext } from '../model/application-context.ts'
import type { ChatAdapter, ChatMode, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage, ChatMessageInput, MessageContext } from '../model/chat-message.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { createOpenIO, type OpenIO } from './adapter-io.ts'
import { type Answered, createAnswering } from './answering.ts'
import { createAsking } from './asking.ts'
import { type BridgeListener, createBridge } from './bridge.ts'
import { versionIDOf } from './branches.ts'
import { type ChatState, initialChatState } from './chat-state.ts'
import { createConversationList } from './conversation-list.ts'
import { createConversations } from './conversations.ts'
import { checkContext } from './copy-context.ts'
import { demand } from './demand.ts'
import { startFollowing } from './following.ts'
import { createGreeting } from './onboarding.ts'
import { createRemembering } from './remembering.ts'
import { createRuns } from './runs.ts'
import { createSendQueue } from './send-queue.ts'
import { createSending, type SendOptions } from './sending.ts'
import { createStateHolder } from './state-holder.ts'
import { type ChatStoreOptions, resolveStoreOptions } from './store-options.ts'
import { createTokenGate, type TokenGate } from './token-gate.ts'
import { createUploads } from './uploads.ts'
import { watchConversation } from './watch-conversation.ts'

/** One chat: its state as an external store, and what can be done with it. No React, no DOM. */
export type ChatStore = {
  readonly adapter: ChatAdapter
  getSnapshot: () => ChatState
  subscribe: (onChange: () => void) => () => void
  /** The kit became visible: reads the opening text, and what else is due, once. */
  initialise: () => Promise<void>
  /** Resolves with the answer when the run has completed or was stopped; rejects with a `ChatKitError`. */
  send: (text: string, options?: SendOptions) => Promise<ChatMessage | undefined>
  stop: () => Promise<void>
  /** Asks again for the last assistant message; the old one stays as a branch. */
  regenerate: (messageID: string) => Promise<ChatMessage | undefined>
  /** Sends a user message again with another text; the old course of the conversation stays as a branch. */
  edit: (messageID: string, text: string) => Promise<ChatMessage | undefined>
  selectBranch: (messageID: string, version: number) => void
  /** Takes a message back that waits for the active run. */
  removeQueued: (id: string) => void
  /** Never rejects: failures are shown. */
  createConversation: () => Promise<void>
  clearConversation: () => void
  loadConversation: (id: string) => Promise<void>
  /** Pages from 1. The result also goes into the state. */
  getConversations: (page?: number, size?: number) => Promise<ConversationHistory[]>
  getConversationMessages: (id: string) => Promise<ChatMessageInput[]>
  deleteConversation: (id: string) => Promise<void>
  renameConversation: (id: string, title: string) => Promise<void>
  terminateConversation: (id: string) => Promise<void>
  /** Throws a `TypeError` for a context without a title. */
  injectApplicationContext: (context: ApplicationContext) => void
  removeApplicationContext: () => void
  setDefaultApplicationContext: (context: ApplicationContext | undefined) => void
  setTextInput: (text: string) => void
  /** Plans first, or acts, from the next message on. */
  setMode: (mode: ChatMode) => void
  addAttachment: (file: File) => Promise<void>
  removeAttachment: (index: number) => void
  /** The content of a file that the back end keeps. */
  download: (fileID: string) => Promise<Blob>
  /** `null` takes it back. Replaces what was said before, the comment too. */
  sendFeedback: (messageID: string, value: 'like' | 'dislike' | null, comment?: string) => Promise<void>
  answerQuestion: (answer: Answered<QuestionAnswer>) => Promise<ChatMessage | undefined>
  answerConfirmation: (answer: Answered<ConfirmationAnswer>) => Promise<ChatMessage | undefined>
  updateMessageContext: (messageID: string, patch: Partial<MessageContext>) => void
  /** Hears every action for the host page, beside `onBridge`. */
  subscribeBridge: (onAction: BridgeListener) => () => void
  /** What has arrived becomes state now, not with the next frame. */
  flush: () => void
  readonly tokens: TokenGate
  readonly openIO: OpenIO
  /** Ends the active run and everything else under way; sets no state any more. */
  dispose: () => void
}

export function createChatStore(given: ChatStoreOptions): ChatStore {
  const options = resolveStoreOptions(given)
  const { adapter, conversationID, defaultApplicationContext } = options
  const life = new AbortController()
  const { signal } = life
  const holder = createStateHolder({ ...initialChatState, conversationID, defaultApplicationContext }, options.schedule)
  const { getSnapshot, dispatch } = holder
  const tokens = createTokenGate({ ...options, isAuthError: (status, error) => adapter.isAuthError(status, error) })
  const openIO = createOpenIO({ ...options, gate: tokens, signal })
  const ground = { ...holder, options, openIO, signal }
  const bridge = createBridge(options.onBridge)
  const runs = createRuns(ground, {
    gate: tokens,
    bridge,
    onEnd(answer, error) {
      if (answer) options.onMessage(answer)
      if (error) options.onError(error)
      list.refresh()
      queue.next()
    },
  })
  const list = createConversationList(ground)
  const remembering = createRemembering(ground)
  const conversations = createConversations(ground, {
    runs,
    greet: createGreeting(ground),
    remembering,
    dropQueue: () => queue.drop(),
  })
  const sending = createSending(ground, { runs, conversations })
  const queue = createSendQueue(ground, sending)
  const uploads = createUploads(ground)
  watchConversation(holder, conversationID, options.onConversationChange)
  const stopFollowing = startFollowing(ground, { runs, bridge })

  const updateMessageContext = (messageID: string, patch: Partial<MessageContext>) =>
    dispatch({ type: 'message:ops', messageID, ops: [{ op: 'context', patch }] })

  return {
    adapter,
    getSnapshot,
    subscribe: holder.subscribe,
    flush: holder.flush,
    initialise: conversations.initialise,
    ...createAsking(ground, { runs, sending, queue, uploads }),
    ...createAnswering(ground, runs),
    setTextInput: (text) => dispatch({ type: 'input:write', text }),
    addAttachment: uploads.add,
    removeAttachment: (index) => dispatch({ type: 'input:detach', index }),
    injectApplicationContext(context) {
      checkContext(context)
      dispatch({ type: 'context:inject', context })
    },
    removeApplicationContext: () => dispatch({ type: 'context:inject', context: undefined }),
    setDefaultApplicationContext: (context) => dispatch({ type: 'context:default', context }),
    setMode(mode) {
      if (!adapter.hasPlanning) throw chatKitError('unsupported', `${adapter.name} has no planning mode.`)
      dispatch({ type: 'mode:choose', mode })
    },
    removeQueued: queue.remove,
    createConversation: conversations.createConversation,
    clearConversation: conversations.clearConversation,
    loadConversation: conversations.loadConversation,
    getConversations: list.getConversations,
    getConversationMessages: list.getConversationMessages,
    renameConversation: list.renameConversation,
    async deleteConversation(id) {
      await list.remove(id)
      if (id === getSnapshot().conversationID) await conversations.createConversation()
    },
    selectBranch(messageID, version) {
      if (runs.active()) return
      const versionID = versionIDOf(getSnapshot(), messageID, version)
      if (versionID === undefined) return dispatch({ type: 'branch:select', messageID, version })
      const { conversationID } = getSnapshot()
      adapter
        .selectVersion?.({ conversationID, versionID }, openIO())
        .catch((error: unknown) => options.onError(toChatKitError(error)))
    },
    async download(fileID) {
      demand(adapter, 'download')
      return adapter.download(fileID, openIO())
    },
    async sendFeedback(messageID, value, comment) {
      demand(adapter, 'feedback')
      const { conversationID } = getSnapshot()
      await adapter.feedback({ conversationID, messageID, value, ...(comment && { comment }) }, openIO())
      updateMessageContext(messageID, { feedback: value ?? undefined, feedbackComment: comment || undefined })
    },
    updateMessageContext,
    subscribeBridge: bridge.subscribe,
    tokens,
    openIO,
    dispose() {
      remembering.end()
      stopFollowing()
      holder.close()
      queue.drop()
      runs.abandon()
      life.abort()
    },
  }
}
