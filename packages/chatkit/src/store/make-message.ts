import type { ApplicationContext } from '../model/application-context.ts'
import { BlockType } from '../model/block-type.ts'
import type { Attachment } from '../model/chat-adapter.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import { RoleType } from '../model/role.ts'
import type { StoreOptions } from './store-options.ts'

type UserMessageParts = {
  options: Pick<StoreOptions, 'user'>
  context: ApplicationContext | undefined
  attachments: readonly Attachment[]
}

export function userMessage(text: string, { options, context, attachments }: UserMessageParts): ChatMessage {
  const files = attachments.map((file, index): Block => {
    const { name, mediaType, size, url } = file
    return { type: BlockType.File, key: `file:${index}`, content: { name, mediaType, size, ...(url && { url }) } }
  })
  return {
    ...identity('user'),
    role: { ...options.user, type: RoleType.User },
    content: [{ type: BlockType.Text, content: text, key: 'text' }, ...files],
    status: 'completed',
    ...(context && { applicationContext: context }),
  }
}

/** The placeholder that waits for the first token. */
export function answerMessage(options: Pick<StoreOptions, 'assistant'>, parentID: string | undefined): ChatMessage {
  return {
    ...identity('answer'),
    role: { ...options.assistant, type: RoleType.Assistant },
    content: [],
    status: 'waiting',
    ...(parentID && { parentID }),
  }
}

function identity(prefix: string) {
  const id = newID(prefix)
  return { messageID: id, messageId: id, localID: id, createdAt: Date.now() }
}
