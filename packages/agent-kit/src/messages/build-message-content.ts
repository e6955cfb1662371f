import type { MessageContent } from '@parley/client'

/** A file that is in the session's workspace already; see `uploadFiles`. */
export type MessageAttachment = { kind: 'file'; name: string; uploadedPath: string }

/** A message that names uploaded files, so that the agent finds them. */
export function buildMessageContent(text: string, attachments: readonly MessageAttachment[] = []): MessageContent {
  if (attachments.length === 0) return text
  const files = attachments.map(({ name, uploadedPath }) => `- ${name}: ${uploadedPath}`)
  const list = `Attached files, in the workspace:\n${files.join('\n')}`
  return [...(text.trim() === '' ? [] : [`${text}\n\n`]), list].map((part) => ({ type: 'text', text: part }))
}

/** The text of a message, its files left out. */
export function textOfContent(content: MessageContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
