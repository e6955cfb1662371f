import type { Checkpoint } from '@parley/protocol/rest'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ChatState } from '../../store/chat-state.ts'
import { isSameValue } from '../../store/is-same-value.ts'
import { indexVersions, NO_VERSIONS, versionsOf } from './message-versions.ts'

/**
 * What a session's turns do not tell: questions to go on with, and other versions of messages. Turns are told again with every change, so this is kept
 * beside them and put onto their messages each time.
 */
export class SessionExtras {
  #versions = NO_VERSIONS
  #branches: ChatState['branches'] = {}
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
    this.#tell()
  }

  keepVersions(checkpoints: readonly Checkpoint[]): void {
    this.#versions = indexVersions(checkpoints)
    this.#tell()
  }

  /** Versions of these messages; the same object while they are the same. */
  branchesOf(messages: readonly ChatMessage[]): ChatState['branches'] {
    const found = versionsOf(messages, this.#versions)
    if (!isSameValue(found, this.#branches)) this.#branches = found
    return this.#branches
  }

  apply(messages: ChatMessage[]): ChatMessage[] {
    const related = this.#related
    if (!related?.questions.length) return messages
    return messages.map((message) =>
      message.messageID === related.messageID ? this.#withQuestions(message, related.questions) : message,
    )
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #withQuestions(message: ChatMessage, questions: string[]): ChatMessage {
    const known = this.#made.get(message)
    if (known?.questions === questions) return known.result
    const result = { ...message, messageContext: { ...message.messageContext, relatedQuestions: questions } }
    this.#made.set(message, { questions, result })
    return result
  }
}
