import type { ApplicationContext } from '../model/application-context.ts'
import type { ChatAdapter, ChatMode, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage, ChatMessageInput, MessageContext } from '../model/chat-message.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { RoleType } from '../model/role.ts'
import { textOfMessage } from '../model/text-of-message.ts'
import { createOpenIO, type OpenIO } from './adapter-io.ts'
import { type Answered, createAnswering } from './answering.ts'
import { type ChatState, initialChatState } from './chat-state.ts'
import { createConversationList } from './conversation-list.ts'
import { createConversations } from './conversations.ts'
import { checkContext } from './copy-context.ts'
import { startFollowing } from './following.ts'
import { attachmentsOf } from './make-message.ts'
import { createRemembering } from './remembering.ts'
import { createRuns } from './runs.ts'
import { createSendQueue } from './send-queue.ts'
import { createSending, type SendOptions } from './sending.ts'
import { createStateHolder } from './state-holder.ts'
import { type ChatStoreOptions, resolveStoreOptions } from './store-options.ts'
import { createTokenGate, type TokenGate } from './token-gate.ts'
import { isOurs } from './unlisted-failures.ts'
import { createUploads } from './uploads.ts'

export type BridgeListener = (action: string, payload: unknown, info: { toolCallID: string }) => void

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
  /** `null` takes it back. */
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
  const { adapter } = options
  const { conversationID, defaultApplicationContext } = options
  const holder = createStateHolder({ ...initialChatState, conversationID, defaultApplicationContext }, options.schedule)
  const tokens = createTokenGate({ ...options, isAuthError: (status, error) => adapter.isAuthError(status, error) })
  const openIO = createOpenIO({ gate: tokens, fetch: options.fetch, locale: () => options.locale })
  const life = new AbortController()
  const bridgeListeners = new Set<BridgeListener>()
  const { signal } = life

  const runs = createRuns({
    holder,
    adapter,
    gate: tokens,
    openIO,
    idleTimeoutMs: options.idleTimeoutMs,
    onBridge(...action) {
      options.onBridge(...action)
      for (const listener of bridgeListeners) listener(...action)
    },
    onEnd(answer, error) {
      if (answer) options.onMessage(answer)
      if (error) options.onError(error)
      list.refresh()
      queue.next()
    },
  })
  const list = createConversationList({ holder, adapter, openIO, signal, onError: options.onError })
  const dropQueue = () => queue.drop()
  const remembering = createRemembering({ holder, adapter, name: options.remember, conversationID })
  const conversations = createConversations({ holder, runs, openIO, options, signal, dropQueue, remembering })
  const sending = createSending({ holder, runs, conversations, options })
  const queue = createSendQueue(holder, sending)
  const answering = createAnswering({ holder, runs, options, openIO: () => openIO(signal) })
  const uploads = createUploads({ holder, adapter, openIO: () => openIO(signal) })
  const set = (patch: Partial<ChatState>) => holder.dispatch({ type: 'set', patch })
  reportConversation(holder, options.onConversationChange)
  const stopFollowing = startFollowing({ holder, runs, adapter, openIO, onError: options.onError })

  const stop = async () => {
    const { isActiveElsewhere, conversationID } = holder.getSnapshot()
    if (runs.active() || !isActiveElsewhere) return runs.stop()
    await adapter.stop?.({ conversationID }, openIO(signal))
  }

  const send = async (text: string, settings: SendOptions = {}) => {
    sending.check(text, settings)
    if (settings.fromInput && uploads.hasPending()) await uploads.settled()
    if (!runs.active() && holder.getSnapshot().isActiveElsewhere) {
      if (options.whileStreaming !== 'interrupt') throw chatKitError('busy', 'A run is under way in this conversation.')
      await stop()
    }
    if (runs.active()) {
      if (options.whileStreaming === 'reject') throw chatKitError('busy', 'The assistant is still answering.')
      if (options.whileStreaming === 'queue') return queue.add(text, settings)
      void runs.stop()
    }
    return sending.start(text, settings).finished
  }

  /** Where nothing can be replaced, the question is asked once more. */
  const sendAgain = (messages: readonly ChatMessage[], messageID: string) => {
    const asked = messages.findLast(({ role }) => role.type === RoleType.User)
    if (!asked || messages.at(-1)?.messageID !== messageID)
      throw chatKitError('unsupported', 'Only the last answer can be asked for again.')
    const context = asked.applicationContext
    if (!isOurs(asked)) return send(textOfMessage(asked), { context })
    const instead = messages.slice(messages.indexOf(asked))
    return send(textOfMessage(asked), { context, attachments: attachmentsOf(asked), instead })
  }

  return {
    adapter,
    getSnapshot: holder.getSnapshot,
    subscribe: holder.subscribe,
    initialise: conversations.initialise,
    send,
    stop,
    async regenerate(messageID) {
      if (runs.active()) throw chatKitError('busy', 'The assistant is still answering.')
      const { messages } = holder.getSnapshot()
      if (adapter.hasFixedHistory) return sendAgain(messages, messageID)
      const asked = messages.at(-2)
      if (messages.at(-1)?.messageID !== messageID || asked?.role.type !== RoleType.User)
        throw chatKitError('unsupported', 'Only the last answer can be asked for again.')
      return send(textOfMessage(asked), { regenerate: messageID })
    },
    async edit(messageID, text) {
      if (runs.active()) throw chatKitError('busy', 'The assistant is still answering.')
      if (adapter.hasFixedHistory) throw chatKitError('unsupported', `${adapter.name} keeps what was said.`)
      return send(text, { edit: messageID })
    },
    selectBranch(messageID, version) {
      if (!runs.active()) holder.dispatch({ type: 'branch:select', messageID, version })
    },
    removeQueued: queue.remove,
    createConversation: conversations.createConversation,
    clearConversation: conversations.clear,
    loadConversation: conversations.load,
    getConversations: list.list,
    getConversationMessages: list.messages,
    async deleteConversation(id) {
      await list.remove(id)
      if (id === holder.getSnapshot().conversationID) await conversations.createConversation()
    },
    renameConversation: list.rename,
    async terminateConversation(id) {
      if (runs.active() && id === holder.getSnapshot().conversationID) return runs.stop()
      await adapter.stop?.({ conversationID: id }, openIO(signal))
    },
    injectApplicationContext(context) {
      checkContext(context)
      set({ applicationContext: context })
    },
    removeApplicationContext: () => set({ applicationContext: undefined }),
    setDefaultApplicationContext: (context) => set({ defaultApplicationContext: context }),
    setTextInput: (textInput) => set({ textInput }),
    setMode(mode) {
      if (!adapter.hasPlanning) throw chatKitError('unsupported', `${adapter.name} has no planning mode.`)
      set({ mode, isModeChosen: true })
    },
    addAttachment: uploads.add,
    removeAttachment: (index) => set({ attachments: holder.getSnapshot().attachments.toSpliced(index, 1) }),
    async download(fileID) {
      if (!adapter.download) throw chatKitError('unsupported', `${adapter.name} hands out no files.`)
      return adapter.download(fileID, openIO(signal))
    },
    async sendFeedback(messageID, value, comment) {
      if (!adapter.feedback) throw chatKitError('unsupported', `${adapter.name} takes no feedback.`)
      const { conversationID } = holder.getSnapshot()
      await adapter.feedback({ conversationID, messageID, value, ...(comment && { comment }) }, openIO(signal))
      holder.dispatch({
        type: 'message:ops',
        messageID,
        ops: [{ op: 'context', patch: { feedback: value ?? undefined } }],
      })
    },
    answerQuestion: answering.question,
    answerConfirmation: answering.confirmation,
    updateMessageContext: (messageID, patch) =>
      holder.dispatch({ type: 'message:ops', messageID, ops: [{ op: 'context', patch }] }),
    subscribeBridge(listener) {
      bridgeListeners.add(listener)
      return () => bridgeListeners.delete(listener)
    },
    flush: holder.flush,
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

function reportConversation(
  { getSnapshot, subscribe }: Pick<ChatStore, 'getSnapshot' | 'subscribe'>,
  report: (id: string) => void,
): void {
  let known = getSnapshot().conversationID
  subscribe(() => {
    const { conversationID } = getSnapshot()
    if (conversationID === known) return
    known = conversationID
    report(conversationID)
  })
}
