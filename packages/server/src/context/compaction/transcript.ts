import type { ModelMessage } from '../../ports.ts'
import { shorten } from './compacted.ts'

/** Of a result, this much is shown to whoever sums up. */
const RESULT_CHARACTERS = 1_500
const ARGUMENT_CHARACTERS = 1_500

/** A conversation as text, one piece for each message: no call can lose its result in it. */
export function transcriptOf(messages: readonly ModelMessage[]): string[] {
  return messages.map((message) => {
    if (message.role === 'tool') {
      const how = message.is_error ? 'failed' : 'returned'
      return `[${message.tool_name} ${how}]\n${shorten(message.text, RESULT_CHARACTERS)}`
    }
    if (message.role === 'user')
      return `[user]\n${message.content.map((part) => (part.type === 'text' ? part.text : '(a picture)')).join('\n')}`
    const said = message.content.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      if (part.type === 'thinking') return []
      return [`(calls ${part.name} with ${shorten(part.arguments, ARGUMENT_CHARACTERS)})`]
    })
    return `[assistant]\n${said.join('\n')}`
  })
}

/** The same messages without what must not be told. */
export function maskMessages(messages: readonly ModelMessage[], mask: (text: string) => string): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (message.role === 'tool') return { ...message, text: mask(message.text) }
    if (message.role === 'user')
      return {
        ...message,
        content: message.content.map((part) => (part.type === 'text' ? { ...part, text: mask(part.text) } : part)),
      }
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool_call' ? { ...part, arguments: mask(part.arguments) } : { ...part, text: mask(part.text) },
      ),
    }
  })
}
