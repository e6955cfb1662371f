import type { ApplicationContext } from '../model/application-context.ts'
import { BlockType } from '../model/block-type.ts'
import type { Attachment } from '../model/chat-adapter.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import type { FileBlock } from '../model/display-blocks.ts'
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
    const { name, mediaType, size, id, url } = file
    const place = { ...(id && { id }), ...(url && { url }) }
    return { type: BlockType.File, key: `file:${index}`, content: { name, mediaType, size, ...place } }
  })
  const own = identity('user')
  return {
    ...own,
    client_message_id: own.localID,
    role: { ...options.user, type: RoleType.User },
    content: [{ type: BlockType.Text, content: text, key: 'text' }, ...files],
    status: 'completed',
    ...(context && { applicationContext: context }),
  }
}

/** The files that such a message carries. */
export function attachmentsOf({ content }: ChatMessage): Attachment[] {
  const isFile = (block: Block): block is FileBlock => block.type === BlockType.File
  return content.filter(isFile).map(({ content: { name, mediaType = '', size = 0, id, url } }) => {
    return { name, mediaType, size, ...(id && { id }), ...(url && { url }) }
  })
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
