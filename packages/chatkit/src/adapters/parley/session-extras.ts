import type { ChatMessage } from '../../model/chat-message.ts'

/**
 * What a session's turns do not tell: questions to go on with. Turns are told again with every change, so this is kept
 * beside them and put onto their messages each time.
 */
export class SessionExtras {
  #related: { messageID: string; questions: string[] } | null = null
  readonly #listeners = new Set<() => void>()
  /** A message that got the same again stays the same object. */
  readonly #made = new WeakMap<ChatMessage, { questions: string[]; result: ChatMessage }>()

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  suggest(messageID: string, questions: string[]): void {
    this.#related = { messageID, questions }
    for (const listener of this.#listeners) listener()
  }

  apply(messages: ChatMessage[]): ChatMessage[] {
    const related = this.#related
    if (!related?.questions.length) return messages
    return messages.map((message) =>
      message.messageID === related.messageID ? this.#withQuestions(message, related.questions) : message,
    )
  }

  #withQuestions(message: ChatMessage, questions: string[]): ChatMessage {
    const known = this.#made.get(message)
    if (known?.questions === questions) return known.result
    const result = { ...message, messageContext: { ...message.messageContext, relatedQuestions: questions } }
    this.#made.set(message, { questions, result })
    return result
  }
}
