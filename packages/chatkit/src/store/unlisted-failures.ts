import type { ChatMessage } from '../model/chat-message.ts'
import { RoleType } from '../model/role.ts'
import { textOfMessage } from '../model/text-of-message.ts'

/** A platform's list, with what failed before it came into that list: nobody else has the user's words. */
export function withUnlisted(listed: ChatMessage[], shown: readonly ChatMessage[]): ChatMessage[] {
  const unlisted = unlistedIn(shown)
  if (unlisted.size === 0) return listed
  const arrived = textsOfNew(listed, shown)
  return shown.reduce((messages, message, index) => {
    const asked = unlisted.get(message)
    if (asked === undefined || arrived.has(asked)) return messages
    const before = shown[index - 1]
    const at = before ? messages.findLastIndex(({ messageID }) => messageID === before.messageID) + 1 : 0
    return messages.toSpliced(at > 0 || !before ? at : messages.length, 0, message)
  }, listed)
}

/** Nobody but the kit has named it. */
export function isOurs({ localID, messageID }: ChatMessage): boolean {
  return localID !== undefined && localID === messageID
}

/** Answers that failed without a name, and the messages they were to answer, each with the words it is about. */
function unlistedIn(shown: readonly ChatMessage[]): ReadonlyMap<ChatMessage, string> {
  const found = new Map<ChatMessage, string>()
  for (const [index, message] of shown.entries()) {
    if (message.status !== 'failed' || !isOurs(message)) continue
    const asked = shown[index - 1]
    const isUnsent = asked !== undefined && asked.role.type === RoleType.User && isOurs(asked)
    const words = isUnsent ? textOfMessage(asked) : ''
    if (isUnsent) found.set(asked, words)
    found.set(message, words)
  }
  return found
}

/** What users said that was not there before: the platform has got it after all. */
function textsOfNew(listed: readonly ChatMessage[], shown: readonly ChatMessage[]): ReadonlySet<string> {
  const known = new Set(shown.map(({ messageID }) => messageID))
  const isNew = ({ role, messageID }: ChatMessage) => role.type === RoleType.User && !known.has(messageID)
  return new Set(listed.filter(isNew).map(textOfMessage))
}
