/** The words that the view adds to those of ChatKit. */
export type ViewTexts = {
  chat: string
  empty: string
  answering: string
  answerComplete: string
  question: string
  reconnecting: string
  gone: string
  creating: string
  notCreated: string
  retry: string
  removeContext: string
  subAgent: string
  arguments: string
  result: string
  noResult: string
  copy: string
  copied: string
  skills: string
  model: string
  defaultModel: string
  speak: string
  stopSpeaking: string
  close: string
  card: string
  failed: string
  refused: string
  toolStatus: Record<'pending' | 'done' | 'error' | 'cancelled' | 'awaiting_answer', string>
}

const en: ViewTexts = {
  chat: 'Chat',
  empty: 'What can I do for you?',
  answering: 'Answering',
  answerComplete: 'Answer complete',
  question: 'A question is waiting for you',
  reconnecting: 'Connection lost. Reconnecting…',
  gone: 'This conversation does not exist, or you do not have access to it. Open another one.',
  creating: 'Preparing the conversation…',
  notCreated: 'The conversation could not be created.',
  retry: 'Try again',
  removeContext: 'Remove',
  subAgent: 'Sub-agent',
  arguments: 'Arguments',
  result: 'Result',
  noResult: 'No result yet',
  copy: 'Copy',
  copied: 'Copied',
  skills: 'Skills',
  model: 'Model',
  defaultModel: 'Default model',
  speak: 'Speak',
  stopSpeaking: 'Stop listening',
  close: 'Close',
  card: 'Preview',
  failed: 'The answer could not be completed.',
  refused: 'Your sign-in is no longer valid. Please sign in again.',
  toolStatus: {
    pending: 'running',
    done: 'done',
    error: 'failed',
    cancelled: 'cancelled',
    awaiting_answer: 'waiting for you',
  },
}

const zh: ViewTexts = {
  chat: '聊天',
  empty: '有什么可以帮你的？',
  answering: '正在回答',
  answerComplete: '回答完毕',
  question: '有一个问题等你回答',
  reconnecting: '连接已断开，正在重新连接…',
  gone: '会话不存在，或你无权访问。请打开其他会话。',
  creating: '正在准备会话…',
  notCreated: '无法创建会话。',
  retry: '重试',
  removeContext: '移除',
  subAgent: '子智能体',
  arguments: '参数',
  result: '结果',
  noResult: '暂无结果',
  copy: '复制',
  copied: '已复制',
  skills: '技能',
  model: '模型',
  defaultModel: '默认模型',
  speak: '语音输入',
  stopSpeaking: '停止语音输入',
  close: '关闭',
  card: '预览',
  failed: '回答失败。',
  refused: '登录已失效，请重新登录。',
  toolStatus: {
    pending: '执行中',
    done: '已完成',
    error: '失败',
    cancelled: '已取消',
    awaiting_answer: '等待你处理',
  },
}

/** Chinese for any `zh…`, English for everything else. */
export function viewTexts(locale: string): ViewTexts {
  return /^zh\b/i.test(locale) ? zh : en
}

/** The language of the page, as `Intl` takes it: pages also write `zh_CN`. `own` wins; on a server there is no page. */
export function pageLanguage(own?: string): string {
  const language = own || (typeof document === 'undefined' ? '' : document.documentElement.lang) || 'en'
  try {
    return Intl.getCanonicalLocales(language.trim().replaceAll('_', '-'))[0] ?? 'en'
  } catch {
    return /^zh/i.test(language) ? 'zh-CN' : 'en'
  }
}
