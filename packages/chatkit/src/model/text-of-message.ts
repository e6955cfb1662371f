import { BlockType } from './block-type.ts'
import type { ChatMessage } from './chat-message.ts'

/** All text of a message, without blocks of other types. */
export function textOfMessage({ content }: Pick<ChatMessage, 'content'>): string {
  return content
    .filter(({ type }) => type === BlockType.Text || type === BlockType.Markdown)
    .map(({ content }) => content as string)
    .join('\n\n')
}
