/** The words of the framework-free half. The host's own ones come in through the `texts` option. */
export type ChatTexts = {
  assistantName: string
  userName: string
  prologue: string
  answerCutOff: string
  answerFiltered: string
  chartFailed: string
  limitReached: string
  documentsFound: (count: number) => string
  compacted: string
  compacting: string
  notCompacted: string
}

const catalogue: Record<'zh' | 'en', ChatTexts> = {
  zh: {
    assistantName: 'AI 助手',
    userName: '用户',
    prologue: '你好！我是 AI 助手，有什么可以帮你的吗？',
    answerCutOff: '回答因长度限制被截断',
    answerFiltered: '部分回答被内容过滤器移除',
    chartFailed: '图表加载失败',
    limitReached: '已达到最大步骤数，回答可能不完整',
    documentsFound: (count) => `已参考 ${count} 篇资料`,
    compacted: '较早的对话已压缩',
    compacting: '正在压缩较早的对话 …',
    notCompacted: '较早的对话未能压缩',
  },
  en: {
    assistantName: 'AI assistant',
    userName: 'User',
    prologue: 'Hello! I am an AI assistant. How can I help you?',
    answerCutOff: 'The answer was cut off at the length limit',
    answerFiltered: 'Part of the answer was removed by the content filter',
    chartFailed: 'The chart could not be loaded',
    limitReached: 'The step limit was reached; the answer may be incomplete',
    documentsFound: (count) => `Used ${count} ${count === 1 ? 'document' : 'documents'}`,
    compacted: 'Earlier parts of the conversation were compacted',
    compacting: 'Compacting earlier parts of the conversation …',
    notCompacted: 'Earlier parts of the conversation could not be compacted',
  },
}

/** Chinese for any `zh…`, English for everything else. */
export function textsOf(locale: string): ChatTexts {
  return catalogue[/^zh\b/i.test(locale) ? 'zh' : 'en']
}
