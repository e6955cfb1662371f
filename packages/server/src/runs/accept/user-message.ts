import type { ContentBlock, MessageContent, TurnProjection } from '@parley/protocol'
import type { UserPart } from '../../ports.ts'

/** A part whose file lies in the workspace already. */
export type StoredPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string }; name?: string | undefined; path?: string; data_url?: string }
  | { type: 'file'; name: string; path: string; url: string }

/** A message after its attachments were put into the workspace. */
export type StoredMessage = string | StoredPart[]

/** A user's message as a turn: its text as blocks; with attachments, the parts beside them, inline data left out. */
export function userTurn(
  message: StoredMessage,
  client_message_id: string | null,
): Pick<TurnProjection, 'role' | 'blocks' | 'client_message_id'> & Partial<Pick<TurnProjection, 'content_parts'>> {
  const turn = { role: 'user' as const, client_message_id }
  if (typeof message === 'string') return { ...turn, blocks: [textBlock(message)] }
  const blocks = message.flatMap((part) => (part.type === 'text' ? [textBlock(part.text)] : []))
  if (message.every((part) => part.type === 'text')) return { ...turn, blocks }
  const shown = message.map((part) => {
    if (part.type !== 'image_url') return part
    return { type: part.type, image_url: part.image_url, ...(part.name !== undefined && { name: part.name }) }
  })
  return { ...turn, blocks, content_parts: shown }
}

/** What the model gets of a message beyond its text; `null` when the text is all. */
export function userParts(message: StoredMessage): UserPart[] | null {
  if (typeof message === 'string' || message.every((part) => part.type === 'text')) return null
  return message.map((part): UserPart => {
    if (part.type === 'text') return part
    if (part.type === 'file') return { type: 'text', text: `[The user attached the file ${part.path}]` }
    return { type: 'image', url: part.data_url ?? part.image_url.url, media_type: null }
  })
}

export function plainText(message: StoredMessage | MessageContent): string {
  return typeof message === 'string'
    ? message
    : message.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

function textBlock(content: string): ContentBlock {
  return { type: 'text', content, tool_call_id: null, tool_name: null, display_name: null }
}
