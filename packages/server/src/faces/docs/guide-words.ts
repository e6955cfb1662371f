import type { Language } from '../../words/language.ts'

/** In the order in which one reads them; the first is where the guide begins. */
export const PAGES = ['quick-start', 'concepts', 'guarantees', 'embedding', 'tools', 'reference'] as const
export type PageName = (typeof PAGES)[number]

type Words = {
  guide: string
  pages: Record<PageName, string>
  contents: string
  onThisPage: string
  api: string
  console: string
  next: string
  skip: string
  /** In place of a page that is not there. */
  missing: string
  /** Of the other language, in that language. */
  otherLanguage: string
}

export const WORDS: Record<Language, Words> = {
  en: {
    guide: 'Guide',
    pages: {
      'quick-start': 'Quick start',
      concepts: 'Concepts',
      guarantees: 'What is promised',
      embedding: 'In your product',
      tools: 'Tools',
      reference: 'Reference',
    },
    contents: 'Pages of the guide',
    onThisPage: 'On this page',
    api: 'Every route',
    console: 'Console',
    next: 'Next:',
    skip: 'To the text',
    missing: '# There is no such page\n\nThe guide begins at [Quick start](quick-start.md).',
    otherLanguage: '中文',
  },
  zh: {
    guide: '指南',
    pages: {
      'quick-start': '快速开始',
      concepts: '概念',
      guarantees: '承诺与验证',
      embedding: '嵌入产品',
      tools: '工具',
      reference: '参考',
    },
    contents: '指南目录',
    onThisPage: '本页内容',
    api: '全部接口',
    console: '控制台',
    next: '下一页：',
    skip: '跳到正文',
    missing: '# 没有这一页\n\n指南从 [快速开始](quick-start.md) 读起。',
    otherLanguage: 'English',
  },
}
