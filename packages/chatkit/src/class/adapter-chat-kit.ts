import type { ApplicationContext, EventStreamMessage, OnboardingInfo } from '../model/application-context.ts'
import { BlockType } from '../model/block-type.ts'
import type { ChatAdapter } from '../model/chat-adapter.ts'
import { type ChatMessage, toChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { newID } from '../model/new-id.ts'
import { RoleType } from '../model/role.ts'
import { applyOps } from '../store/apply-ops.ts'
import type { EventCore } from '../stream/event-core.ts'
import { ChatKitBase } from './chat-kit-base.ts'
import type { ChatKitProps } from './chat-kit-props.ts'

/** The AssistantMessage of a ready class: what the core remembers, and what it has shown so far. */
export type AdapterMessage<State> = { state: State; message: ChatMessage }

/**
 * A ready class over an adapter. Its five methods run on the adapter, so that a subclass can override any of them;
 * what it does not override goes through the adapter unchanged. Props are read when the chat starts.
 */
export abstract class AdapterChatKit<State, P extends ChatKitProps> extends ChatKitBase<
  EventStreamMessage,
  AdapterMessage<State> | undefined,
  P
> {
  #adapter: ChatAdapter | null = null

  protected abstract makeAdapter(): ChatAdapter
  protected abstract makeCore(): EventCore<State>

  protected async getOnboardingInfo(): Promise<OnboardingInfo> {
    const info = await this.#own().onboarding?.(this.#io())
    return info ?? { prologue: '', predefinedQuestions: [] }
  }
  protected async generateConversation(title?: string): Promise<string> {
    return (await this.#own().createConversation?.(this.#io(), title)) ?? ''
  }
  protected async sendMessage(text: string, ctx?: ApplicationContext, conversationID?: string): Promise<ChatMessage> {
    const asked = toChatMessage({
      messageID: newID('user'),
      role: { name: '', type: RoleType.User, avatar: '' },
      content: [{ type: BlockType.Text, content: text }],
    })
    const request = {
      text,
      messages: [asked],
      attachments: [],
      ...(ctx && { context: ctx }),
      ...(conversationID && { conversationID }),
    }
    const ops: ChatOp[] = []
    for await (const op of this.#own().send(request, this.#io())) {
      if (op.op === 'error') throw op.error
      ops.push(op)
    }
    return applyOps(emptyAnswer(), ops)
  }
  protected reduceAssistantMessage(
    { event, data }: EventStreamMessage,
    prev: AdapterMessage<State> | undefined,
  ): AdapterMessage<State> {
    const { state, message } = prev ?? { state: this.makeCore().initial, message: emptyAnswer() }
    const [next, ops] = this.makeCore().step(state, { event, data, id: '' })
    return { state: next, message: applyOps(message, ops) }
  }
  protected shouldRefreshToken(status: number, error: object): boolean {
    return this.#own().isAuthError(status, error)
  }

  protected override createAdapter(): ChatAdapter {
    const adapter = this.#own()
    const ofClass = super.createAdapter()
    const isOwnSend = this.sendMessage !== AdapterChatKit.prototype.sendMessage
    return {
      ...adapter,
      ...(adapter.onboarding && { onboarding: () => this.getOnboardingInfo() }),
      createConversation: (_, title) => this.generateConversation(title),
      isAuthError: (status, error) => this.shouldRefreshToken(status, error ?? {}),
      ...(isOwnSend && { send: (request, io) => ofClass.send(request, io) }),
    }
  }

  #own(): ChatAdapter {
    return (this.#adapter ??= this.makeAdapter())
  }

  #io() {
    return this.store.openIO(new AbortController().signal)
  }
}

function emptyAnswer(): ChatMessage {
  return toChatMessage({ role: { name: '', type: RoleType.Assistant, avatar: '' }, content: [], messageID: '' })
}
