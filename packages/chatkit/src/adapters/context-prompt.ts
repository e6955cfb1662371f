import type { ApplicationContext } from '../model/application-context.ts'
import { BlockType } from '../model/block-type.ts'
import type { ChatMessage } from '../model/chat-message.ts'

/** How a context reaches a back end that knows only text: in front of it. */
export function contextPrompt(text: string, context: ApplicationContext | undefined): string {
  if (!context) return text
  return `【上下文: ${context.title}】\n${JSON.stringify(context.data, null, 2)}\n\n${text}`
}

/** The user's message that such a text came from: the words, and the context they were sent with. */
export function promptContent(prompt: string): Pick<ChatMessage, 'content' | 'applicationContext'> {
  const { text, context } = readContextPrompt(prompt)
  return {
    content: [{ type: BlockType.Text, content: text, key: 'text' }],
    ...(context && { applicationContext: context }),
  }
}

/** A text of another form stays as it is. */
function readContextPrompt(prompt: string): { text: string; context?: ApplicationContext } {
  const [, title, data, text] = /^【上下文: (.+)】\n([\s\S]*?)\n\n([\s\S]*)$/.exec(prompt) ?? []
  if (title === undefined || data === undefined || text === undefined) return { text: prompt }
  try {
    return { text, context: { title, data: data === 'undefined' ? undefined : JSON.parse(data) } }
  } catch {
    return { text: prompt } // Somebody wrote it by hand.
  }
}
