import type { Scenario } from './scenario.ts'

/** Shows a compaction: says that the conversation is too long, and is asked again with a summary in its place. */
export const compactionScenario: Scenario = {
  id: 'compaction',
  prompt: { en: 'Show me how a long conversation is compacted', zh: '演示如何压缩很长的对话' },
  pattern: /\bcompact(ed|ion|s)?\b|压缩/i,
  step: ({ earlier, isCompacted, language }) => {
    if (isCompacted)
      return {
        text: {
          en: 'I called the conversation too long. The server put a summary in the place of its older turns, which you find in the line above, and asked me again. **You can still read everything; only I have forgotten the wording.** It does the same by itself when a model’s window is nearly full.',
          zh: '我刚才说对话太长了。服务器用摘要代替了较早的轮次（见上面那一行），然后重新问了我。**你仍然可以阅读全部内容，只有我忘记了原文。** 模型的上下文窗口快满时，它会自动这样做。',
        }[language],
      }
    if (earlier > 1) return { isTooLong: true }
    return {
      text: {
        en: 'There is nothing to compact yet: this conversation has just begun. Ask me something else first, then this again.',
        zh: '还没有可以压缩的内容：对话才刚刚开始。先问我点别的，再来问这个。',
      }[language],
    }
  },
}
