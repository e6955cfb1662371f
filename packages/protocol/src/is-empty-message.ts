import type { MessageContent } from './message.ts'

/** True for a message that says nothing: no parts, or only blank text. */
export function isEmptyMessage(message: MessageContent): boolean {
  if (typeof message === 'string') return message.trim() === ''
  return message.every((part) => part.type === 'text' && part.text.trim() === '')
}
