import { resolveTexts, type SkinTexts } from '@parley/chatkit'

/** ChatKit's words, and what the view says beside them or in their place. */
export type ViewTexts = Omit<SkinTexts, keyof OwnTexts> & OwnTexts

type OwnTexts = {
  chat: string
  empty: string
  answering: string
  question: string
  reconnecting: string
  gone: string
  creating: string
  notCreated: string
  removeContext: string
  arguments: string
  result: string
  noResult: string
  skills: string
  model: string
  defaultModel: string
  speak: string
  stopSpeaking: string
  card: string
  failed: string
  refused: string
}

const en: OwnTexts = {
  chat: 'Chat',
  empty: 'What can I do for you?',
  answering: 'Answering',
  question: 'A question is waiting for you',
  reconnecting: 'Connection lost. Reconnecting…',
  gone: 'This conversation does not exist, or you do not have access to it. Open another one.',
  creating: 'Preparing the conversation…',
  notCreated: 'The conversation could not be created.',
  removeContext: 'Remove',
  arguments: 'Arguments',
  result: 'Result',
  noResult: 'No result yet',
  skills: 'Skills',
  model: 'Model',
  defaultModel: 'Default model',
  speak: 'Speak',
  stopSpeaking: 'Stop listening',
  card: 'Preview',
  failed: 'The answer could not be completed.',
  refused: 'Your sign-in is no longer valid. Please sign in again.',
}

const zh: OwnTexts = {
  chat: '聊天',
  empty: '有什么可以帮你的？',
  answering: '正在回答',
  question: '有一个问题等你回答',
  reconnecting: '连接已断开，正在重新连接…',
  gone: '会话不存在，或你无权访问。请打开其他会话。',
  creating: '正在准备会话…',
  notCreated: '无法创建会话。',
  removeContext: '移除',
  arguments: '参数',
  result: '结果',
  noResult: '暂无结果',
  skills: '技能',
  model: '模型',
  defaultModel: '默认模型',
  speak: '语音输入',
  stopSpeaking: '停止语音输入',
  card: '预览',
  failed: '回答失败。',
  refused: '登录已失效，请重新登录。',
}

/** Chinese for any `zh…`, English for everything else. */
export function viewTexts(locale: string): ViewTexts {
  return { ...resolveTexts(locale), ...(/^zh\b/i.test(locale) ? zh : en) }
}
