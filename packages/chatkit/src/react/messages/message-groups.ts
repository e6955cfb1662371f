import type { ChatMessage } from '../../model/chat-message.ts'

/** True if both belong to one answer, told in several messages. */
export function isSameGroup(a: ChatMessage | undefined, b: ChatMessage | undefined): boolean {
  return a?.groupID !== undefined && a.groupID === b?.groupID
}

/** The messages around this one that belong to the same answer, itself among them. */
export function groupOf(messages: readonly ChatMessage[], message: ChatMessage): ChatMessage[] {
  const at = message.groupID === undefined ? -1 : messages.indexOf(message)
  if (at < 0) return [message]
  let [first, last] = [at, at]
  while (isSameGroup(messages[first - 1], message)) first -= 1
  while (isSameGroup(messages[last + 1], message)) last += 1
  return messages.slice(first, last + 1)
}

/** What the messages took together; `undefined` if none of them says. */
export function sumOf(group: readonly ChatMessage[], field: 'elapsedSeconds' | 'totalTokens'): number | undefined {
  const values = group.flatMap(({ messageContext }) => messageContext?.[field] ?? [])
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
}
