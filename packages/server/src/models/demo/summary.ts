import type { ModelMessage } from '../../ports.ts'
import { languageOfText } from './language.ts'

const TEXT = {
  en: 'Scripted summary of the demo: the user tried out what this chat can do, and the demo model showed it.',
  zh: '演示模型的固定摘要：用户试用了这个聊天的功能，演示模型逐一作了展示。',
}

/** Asked to sum a conversation up: what the demo always says, and what it was told to keep. */
export function demoSummary(messages: readonly ModelMessage[]): string {
  const [asked] = messages
  const text =
    asked?.role === 'user' ? asked.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
  const [, kept = ''] = /word for word:\n([^]*?)(?:\n\n|$)/.exec(text) ?? []
  const users = text.match(/^\[user\]\n.*$/gm)?.join('') ?? ''
  return [TEXT[languageOfText(users)], kept].filter(Boolean).join('\n')
}
