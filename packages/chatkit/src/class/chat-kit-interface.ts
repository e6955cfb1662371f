import type { ApplicationContext, EventStreamMessage, OnboardingInfo } from '../model/application-context.ts'
import type { ChatMessage } from '../model/chat-message.ts'

export type MaybePromise<T> = T | Promise<T>

/** What a subclass of `ChatKitBase` supplies. Stateless functions without side effects: they must not modify state. */
export interface ChatKitInterface<T = EventStreamMessage, K = unknown> {
  /** Opening text and preset questions. */
  getOnboardingInfo(): MaybePromise<OnboardingInfo>
  /** Creates a conversation; `''` means that the platform names it with the first answer. */
  generateConversation(title?: string): MaybePromise<string>
  /** Sends to the back end; resolves with the finished assistant message. */
  sendMessage(
    text: string,
    ctx?: ApplicationContext,
    conversationID?: string,
    regenerateMessageId?: string,
  ): Promise<ChatMessage>
  /** Folds one event into the AssistantMessage. `prev` is `undefined` first, or what `initialAssistantMessage` gave. */
  reduceAssistantMessage(eventMessage: T, prev: K, messageID?: string): K
  /** On a failure: must the token be refreshed? `status` is 0 if there was no response. */
  shouldRefreshToken(status: number, error: object): boolean
}

const REQUIRED = [
  'getOnboardingInfo',
  'generateConversation',
  'sendMessage',
  'reduceAssistantMessage',
  'shouldRefreshToken',
] as const satisfies Array<keyof ChatKitInterface>

/** Throws with the names of the methods a subclass lacks. */
export function checkComplete(kit: object): void {
  const missing = REQUIRED.filter((name) => typeof (kit as Record<string, unknown>)[name] !== 'function')
  if (missing.length === 0) return
  throw new TypeError(
    `${kit.constructor.name} cannot be mounted: it must extend ChatKitBase and implement ${missing.join(', ')}.`,
  )
}
