import { createElement, type ReactNode } from 'react'
import type { ApplicationContext, EventStreamMessage, OnboardingInfo } from '../model/application-context.ts'
import type { ChatAdapter } from '../model/chat-adapter.ts'
import { type ChatMessage, type ChatMessageInput, type MessageContext, toChatMessage } from '../model/chat-message.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { ChatKitView } from '../react/kit/chat-kit-view.tsx'
import { everyFrame } from '../react/kit/every-frame.ts'
import { type ChatStore, createChatStore } from '../store/create-chat-store.ts'
import { liveCallbacks } from '../store/live-callbacks.ts'
import { inspectResponse } from '../store/token-gate.ts'
import { httpError, readBody } from '../stream/read-answer.ts'
import { readEvents, readEventsFrom } from '../stream/read-events.ts'
import { checkComplete, type MaybePromise } from './chat-kit-interface.ts'
import type { ChatKitProps } from './chat-kit-props.ts'
import { adapterOfClass } from './class-adapter.ts'
import { type ReadStream, runsOf } from './class-runs.ts'
import { hostOf } from './host-of.ts'
import { RenderMethods } from './render-methods.ts'

/**
 * The chat component of the specification. Never mounted itself: extend it and implement the five methods of `ChatKitInterface`.
 * A thin shell; every rule is implemented in the store.
 */
export abstract class ChatKitBase<
  T = EventStreamMessage,
  K = unknown,
  P extends ChatKitProps = ChatKitProps,
> extends RenderMethods<P> {
  /** Fixed by `CopilotBase` and `AssistantBase`; here it follows the prop. */
  protected readonly mode: 'copilot' | 'assistant' | undefined = undefined
  #store: ChatStore | null = null
  #isMounted = false
  #wantsInitialQuestion = true

  constructor(props: P) {
    super(props)
    checkComplete(this)
  }

  // What a subclass supplies.

  protected abstract getOnboardingInfo(): MaybePromise<OnboardingInfo>
  protected abstract generateConversation(title?: string): MaybePromise<string>
  // oxlint-disable-next-line max-params -- published
  protected abstract sendMessage(
    text: string,
    ctx?: ApplicationContext,
    conversationID?: string,
    regenerateMessageId?: string,
  ): Promise<ChatMessageInput>
  protected abstract reduceAssistantMessage(eventMessage: T, prev: K, messageID?: string): K
  protected abstract shouldRefreshToken(status: number, error: object): boolean
  /** First value of `prev`; without it `prev` starts as `undefined`. */
  protected initialAssistantMessage?(): K
  /** Extracts what to show from the AssistantMessage and calls the render methods. */
  protected renderAssistantMessage?(message: K): void

  // Properties.

  get conversationID(): string {
    return this.store.getSnapshot().conversationID
  }
  get messages(): Array<ChatMessage> {
    return this.store.getSnapshot().messages
  }
  get textInput(): string {
    return this.store.getSnapshot().textInput
  }
  get applicationContext(): ApplicationContext | undefined {
    return this.store.getSnapshot().applicationContext
  }
  get defaultApplicationContext(): ApplicationContext | undefined {
    return this.store.getSnapshot().defaultApplicationContext
  }
  get token(): string {
    return this.store.tokens.token()
  }
  get refreshToken(): (() => Promise<string>) | undefined {
    return this.props.refreshToken
  }

  /** State and behaviour; what hooks and components work on. Made when first needed. */
  get store(): ChatStore {
    return (this.#store ??= createChatStore({
      ...this.props,
      ...liveCallbacks(() => this.props),
      ...inPage(),
      adapter: this.createAdapter(),
    }))
  }

  // What a host page does.

  createConversation(): Promise<void> {
    return this.store.createConversation()
  }
  /** Resolves at the end of the run, at run time with the answer; rejects with a `ChatKitError` when it failed. */
  // oxlint-disable-next-line max-params -- published
  send(text: string, ctx?: ApplicationContext, conversationID?: string, regenerateMessageId?: string): Promise<void> {
    const settings = { context: ctx, conversationID, regenerate: regenerateMessageId }
    return this.store.send(text, settings) as Promise<unknown> as Promise<void>
  }
  injectApplicationContext(ctx: ApplicationContext): void {
    this.store.injectApplicationContext(ctx)
  }
  removeApplicationContext(): void {
    this.store.removeApplicationContext()
  }
  stop(): Promise<void> {
    return this.store.stop()
  }
  async regenerate(messageID: string): Promise<void> {
    await this.store.regenerate(messageID)
  }
  loadConversation(id: string): Promise<void> {
    return this.store.loadConversation(id)
  }
  // A subclass that overrides one of these has the feature; a ready class has it from its adapter.
  getConversations(page?: number, size?: number): Promise<ConversationHistory[]> {
    return this.store.getConversations(page, size)
  }
  async getConversationMessages(id: string): Promise<ChatMessageInput[]> {
    return this.store.getConversationMessages(id)
  }
  deleteConversation(id: string): Promise<void> {
    return this.store.deleteConversation(id)
  }
  terminateConversation(id: string): Promise<void> {
    return this.store.terminateConversation(id)
  }

  // What a subclass calls.

  protected clearConversation(): void {
    this.store.clearConversation()
  }
  protected updateMessageContext(messageID: string, patch: Partial<MessageContext>): void {
    this.store.updateMessageContext(messageID, patch)
  }
  /** `fetch` with the token, its refresh and the run's signal. Rejects for a status of 400 and more. */
  protected async request(path: string, init?: RequestInit): Promise<Response> {
    const { baseUrl = '' } = this.props
    const run = runsOf(this).active()
    const io = run?.io ?? this.store.openIO(new AbortController().signal)
    const answer = io.fetch(path.startsWith('/') ? `${baseUrl.replace(/\/+$/, '')}${path}` : path, init).then(demandOk)
    return run ? run.holds(answer) : answer
  }
  /** Makes a call of your own, once more with a new token if it was refused for its token. */
  protected executeWithTokenRefresh<R>(call: (token: string) => Promise<R>): Promise<R> {
    return this.store.tokens.call(call, async (result) =>
      result instanceof Response ? inspectResponse(result) : undefined,
    )
  }
  /** Reads a response as an EventStream with the subclass's reducer; resolves with the finished message. */
  protected async runStream(response: Response): Promise<ChatMessage> {
    const ok = demandOk(response)
    await (runsOf(this).active()?.holds(ok) ?? ok)
    return this.#fold((options) => readEvents(response, options))
  }
  protected handleStreamResponse(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    _messageID?: string,
  ): Promise<ChatMessage> {
    return this.#fold((options) => readEventsFrom(reader, options))
  }

  /** The back end as an adapter. Ready subclasses bring their own. */
  protected createAdapter(): ChatAdapter {
    return adapterOfClass(hostOf(this, { base: ChatKitBase.prototype, onRun: runsOf(this).begin }))
  }

  // React.

  override componentDidMount(): void {
    this.#isMounted = true
    this.#show()
  }
  override componentDidUpdate(): void {
    const { token, refreshToken, defaultApplicationContext } = this.props
    this.store.tokens.setToken(token ?? '')
    this.store.tokens.setRefreshToken(refreshToken)
    if (defaultApplicationContext !== this.defaultApplicationContext)
      this.store.setDefaultApplicationContext(defaultApplicationContext)
    this.#show()
  }
  override componentWillUnmount(): void {
    this.#isMounted = false
    // StrictMode unmounts and mounts again at once; that must not cost a conversation.
    queueMicrotask(() => {
      if (this.#isMounted) return
      this.#store?.dispose()
      this.#store = null
    })
  }
  override render(): ReactNode {
    return createElement(ChatKitView, { ...this.props, mode: this.mode ?? this.props.mode, store: this.store })
  }

  #show(): void {
    if (this.props.visible === false) return
    const { initialQuestion } = this.props
    const ask = async () => {
      await this.store.initialise()
      if (!initialQuestion || !this.#wantsInitialQuestion || !this.#isMounted) return
      const { run, messages } = this.store.getSnapshot()
      if (run || messages.length > 0) return
      this.#wantsInitialQuestion = false
      await this.store.send(initialQuestion)
    }
    ask().catch(() => {}) // The list shows it.
  }

  async #fold(read: ReadStream): Promise<ChatMessage> {
    const id = () => this.store.getSnapshot().run?.messageID ?? ''
    await runsOf(this).fold<T, K>(read, {
      initial: this.initialAssistantMessage?.(),
      reduce: (event, prev) => this.reduceAssistantMessage(event, prev, id()),
      render: (message) => this.renderAssistantMessage?.(message),
    })
    this.store.flush()
    const messageID = id()
    return this.messages.findLast((message) => message.messageID === messageID) ?? toChatMessage(NOTHING)
  }
}

async function demandOk(response: Response): Promise<Response> {
  if (response.status >= 400) throw httpError(response.status, await readBody(response))
  return response
}

/** What only a page has: its frames. */
function inPage() {
  return typeof requestAnimationFrame === 'undefined' ? {} : { schedule: everyFrame }
}

const NOTHING: ChatMessageInput = { role: { name: '', type: 'Assistant', avatar: '' }, content: [] }
