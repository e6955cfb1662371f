import type { Catalogue } from '../../texts/language.ts'

export const EXAMPLES = [
  { name: 'report', cron: '0 8 * * 1-5' },
  { name: 'review', cron: '0 16 * * 5' },
  { name: 'watch', cron: '0 */6 * * *' },
] as const
export type ExampleName = (typeof EXAMPLES)[number]['name']

type Example = { title: string; prompt: string }

const en = {
  title: 'Let an agent work while you are away',
  about: 'At the times you choose a session begins with your prompt. You find what it did among your sessions.',
  examples: {
    report: {
      title: 'Morning report',
      prompt:
        'Look up the weather and the three most important headlines of today, and write them down in at most ten lines.',
    },
    review: {
      title: 'Weekly review',
      prompt:
        'Go through what you remember of my projects: what is finished, what is open, and what should I begin with on Monday?',
    },
    watch: {
      title: 'Keep an eye on a page',
      prompt:
        'Open https://example.com and remember what stands there. Tell me what has changed since you last looked.',
    },
  } satisfies Record<ExampleName, Example> as Record<ExampleName, Example>,
}

const zh: typeof en = {
  title: '你不在时，让智能体继续工作',
  about: '到你选的时间，会话以你的提示词开始。它做了什么，在会话里都能看到。',
  examples: {
    report: { title: '早间报告', prompt: '查一下今天的天气和最重要的三条新闻，写成不超过十行的报告。' },
    review: { title: '每周回顾', prompt: '回顾你记得的我的项目：哪些完成了，哪些还没有，周一该先做什么？' },
    watch: {
      title: '留意一个网页',
      prompt: '打开 https://example.com，记住上面的内容，告诉我和上次相比有什么变化。',
    },
  },
}

export const exampleWords: Catalogue<typeof en> = { en, zh }
