import type { ChatMessage } from '../model/chat-message.ts'
import { RoleType } from '../model/role.ts'
import { textOfMessage } from '../model/text-of-message.ts'

/** A platform's list, with what failed before it came into that list: nobody else has the user's words. */
export function withUnlisted(listed: ChatMessage[], shown: readonly ChatMessage[]): ChatMessage[] {
  const known = new Set(shown.map(({ messageID }) => messageID))
  return shown.reduce((messages, message, index) => {
    const asked = questionOf(shown, index)
    if (asked === undefined || listed.some((one) => isSame(one, asked, known))) return messages
    const before = shown[index - 1]
    const at = before ? messages.findLastIndex(({ messageID }) => messageID === before.messageID) + 1 : 0
    // Asked for again in vain: the answer that it was to replace is still there.
    if (before?.role.type === RoleType.User && messages[at]?.role.type === RoleType.Assistant) return messages
    return messages.toSpliced(at > 0 || !before ? at : messages.length, 0, message)
  }, listed)
}

/** Nobody but the kit has named it. */
export function isOurs({ localID, messageID }: ChatMessage): boolean {
  return localID !== undefined && localID === messageID
}

/** What an answer that failed without a name was to answer, for both of them; an answer to something listed stands alone. */
function questionOf(shown: readonly ChatMessage[], index: number): ChatMessage | undefined {
  const isUnlisted = (at: number) => shown[at]?.status === 'failed' && isOurs(shown[at])
  const isUnsent = (at: number) => shown[at]?.role.type === RoleType.User && isOurs(shown[at])
  if (isUnsent(index) && isUnlisted(index + 1)) return shown[index]
  if (isUnlisted(index)) return shown[isUnsent(index - 1) ? index - 1 : index]
  return undefined
}

/** The platform has got it after all. One that does not tell who sent a message is taken at its words. */
function isSame(listed: ChatMessage, asked: ChatMessage, known: ReadonlySet<string>): boolean {
  const { client_message_id, messageID, role } = listed
  if (client_message_id !== undefined) return client_message_id === asked.client_message_id
  if (known.has(messageID)) return messageID === asked.messageID
  const isUser = role.type === RoleType.User && asked.role.type === RoleType.User
  return isUser && textOfMessage(listed) === textOfMessage(asked)
}
