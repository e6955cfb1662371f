import type { Feedback } from '@parley/protocol/rest'
import type { ChatMessage } from '../../model/chat-message.ts'

type Value = Feedback['value']

/**
 * What a session's turns do not tell: thumbs, and questions to go on with. Turns are told again with every change, so
 * this is kept beside them and put onto their messages each time.
 */
export class SessionExtras {
  readonly #feedback = new Map<string, Value>()
  #related: { messageID: string; questions: string[] } | null = null
  readonly #listeners = new Set<() => void>()
  /** A message that got the same again stays the same object. */
  readonly #made = new WeakMap<
    ChatMessage,
    { value: Value | undefined; questions: string[] | undefined; result: ChatMessage }
  >()

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  setFeedback(all: readonly Pick<Feedback, 'turn_id' | 'value'>[]): void {
    this.#feedback.clear()
    for (const { turn_id, value } of all) this.#feedback.set(turn_id, value)
    this.#changed()
  }

  rate(messageID: string, value: Value | null): void {
    if (value === null) this.#feedback.delete(messageID)
    else this.#feedback.set(messageID, value)
    this.#changed()
  }

  suggest(messageID: string, questions: string[]): void {
    this.#related = { messageID, questions }
    this.#changed()
  }

  apply(messages: ChatMessage[]): ChatMessage[] {
    if (this.#feedback.size === 0 && !this.#related) return messages
    return messages.map((message) => this.#withExtras(message))
  }

  #withExtras(message: ChatMessage): ChatMessage {
    const { messageID } = message
    const value = this.#feedback.get(messageID)
    const questions = this.#related?.messageID === messageID ? this.#related.questions : undefined
    if (value === undefined && !questions?.length) return message
    const known = this.#made.get(message)
    if (known && known.value === value && known.questions === questions) return known.result
    const messageContext = {
      ...message.messageContext,
      ...(value && { feedback: value }),
      ...(questions && { relatedQuestions: questions }),
    }
    const result = { ...message, messageContext }
    this.#made.set(message, { value, questions, result })
    return result
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
