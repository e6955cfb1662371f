import type { Catalogue } from '../../../texts/language.ts'

const en = {
  title: 'What fills the context',
  used: (used: string, all: string, model: string) => `${used} of ${all} tokens that ${model} can take in.`,
  parts: { system_prompt_tokens: 'Instructions', tools_tokens: 'Tools', messages_tokens: 'Conversation' },
  before: (count: number) => (count === 1 ? 'Compacted once.' : `Compacted ${count} times.`),
  estimated: 'The numbers are estimated.',
  counted: 'The numbers are the provider’s.',
  compactText: 'Compacting writes a summary in place of earlier turns, for the model. You still see all of them.',
  compact: 'Compact now',
  compacting: (seconds: number) => `Writing the summary … ${seconds} s. You can close this; it goes on.`,
  compacted: 'Earlier turns are a summary now.',
  close: 'Close',
}
type Words = typeof en

const zh: Words = {
  title: '上下文里有什么',
  used: (used, all, model) => `已用 ${used} 个 token，${model} 最多容纳 ${all} 个。`,
  parts: { system_prompt_tokens: '指令', tools_tokens: '工具', messages_tokens: '对话' },
  before: (count) => `已压缩 ${count} 次。`,
  estimated: '数字为估算值。',
  counted: '数字来自模型服务商。',
  compactText: '压缩会为模型写一份摘要，代替较早的内容。你仍能看到全部内容。',
  compact: '立即压缩',
  compacting: (seconds) => `正在写摘要 … ${seconds} 秒。可以关闭，压缩会继续。`,
  compacted: '较早的内容已变成摘要。',
  close: '关闭',
}

export const contextWords: Catalogue<Words> = { en, zh }
