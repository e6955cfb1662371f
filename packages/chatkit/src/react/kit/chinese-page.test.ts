import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { ChatAdapter } from '../../model/chat-adapter.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ContentBlock } from '../../model/content-block.ts'
import { createChatStore } from '../../store/create-chat-store.ts'
import { Block } from '../blocks/block.tsx'
import { ConfirmationView } from '../blocks/confirmation-view.tsx'
import { PlanView } from '../blocks/plan-views.tsx'
import { QuestionView } from '../blocks/question-view.tsx'
import { ChatKit } from './chat-kit.tsx'
import { StoreProvider } from './chat-kit-provider.tsx'

const history = { list: async () => [], load: async () => [], remove: async () => {} }
const adapter: ChatAdapter = {
  name: '无',
  isAuthError: () => false,
  send: async function* () {},
  history,
  upload: async () => ({ id: '1', name: '文件', mediaType: '', size: 1 }),
  feedback: async () => {},
}
const message: ChatMessage = { messageID: 'm', role: { name: '助手', type: 'Assistant', avatar: '' }, content: [] }
const card = { confirmationId: 'c', message: '删除', action: { type: '删', target: '表', params: {} }, preview: '删表' }
const question = { questionID: 'q', questions: [{ question: '哪个?', options: [{ label: '甲' }] }] }
const field = (name: string) => ({ name, displayName: name, dataType: '数' })

const blocks: Array<[string, ContentBlock]> = [
  ['a tool at work', { type: 'Tool', content: { name: '查', title: '查', status: 'pending' } }],
  [
    'a tool that failed',
    { type: 'Tool', content: { name: '查', title: '查', status: 'error', durationMs: 1200, error: '坏' } },
  ],
  ['a call that waits', { type: 'Tool', content: { name: '查', title: '查', status: 'awaiting_answer', input: '甲' } }],
  ['thinking', { type: 'Reasoning', content: { text: '想', durationMs: 1500 } }],
  ['a search', { type: 'WebSearch', content: { input: '天气', results: [] } }],
  ['code', { type: 'Code', content: { code: '一' } }],
  [
    'Markdown with code and a table',
    { type: 'Markdown', content: '```\n一\n```\n\n| 甲 |\n|---|\n| 1 |\n\n![图](javascript:1)' },
  ],
  ['a web page', { type: 'WebProcessor', content: { url: 'https://192.0.2.1/' } }],
  ['a card', { type: 'UiCard', content: { resourceHTML: '<p>一</p>', target: 'inline' } }],
  ['a card for the side', { type: 'UiCard', content: { resourceHTML: '<p>一</p>', target: 'preview' } }],
  ['a question', { type: 'Question', content: { ...question, state: 'waiting' } }],
  ['a question that was withdrawn', { type: 'Question', content: { ...question, state: 'cancelled' } }],
  [
    'a confirmation',
    { type: 'Confirmation', content: { ...card, risk: 'high', state: 'waiting', editable: true, arguments: {} } },
  ],
  [
    'a confirmation that others decide',
    { type: 'Confirmation', content: { ...card, risk: 'high', state: 'waiting', isForOthers: true } },
  ],
  [
    'a confirmation that was given',
    { type: 'Confirmation', content: { ...card, risk: 'low', state: 'answered', approved: true } },
  ],
  [
    'a proposed plan',
    { type: 'Plan', content: { status: 'proposed', plan: '一', steps: [{ id: '1', title: '一', status: 'pending' }] } },
  ],
  [
    'an approved plan',
    { type: 'Plan', content: { status: 'approved', steps: [{ id: '1', title: '一', status: 'in_progress' }] } },
  ],
  [
    'sources',
    { type: 'Sources', content: [{ title: '报', link: 'https://192.0.2.1/', content: '一', icon: '', media: '' }] },
  ],
  ['a file', { type: 'File', content: { name: '表', size: 2000 } }],
  ['a notice', { type: 'Notice', content: { text: '压缩', level: 'info', kind: 'compaction', details: '摘要' } }],
  [
    'a chart',
    {
      type: 'Json2Plot',
      content: { chartType: 'Line', dimensions: [field('日')], measures: [field('数')], rows: [{ 日: '一', 数: 1 }] },
    },
  ],
  ['an empty chart', { type: 'Json2Plot', content: { chartType: 'Pie', dimensions: [], measures: [], rows: [] } }],
  ['a sub-agent', { type: 'SubAgent', content: { title: '子', status: 'pending', messages: [] } as never }],
  ['what nobody knows', { type: '全息', content: null }],
] as Array<[string, ContentBlock]>

/** What else is downloaded at first use. */
const LOADED = { Question: QuestionView, Confirmation: ConfirmationView, Plan: PlanView } as never

/** Words that are the same in Chinese. */
const NAMES = new Set(['Copilot', 'JSON', 'https'])

/** What people read or hear of a page. */
function wordsOn(page: string): string[] {
  const spoken = [...page.matchAll(/(?:aria-label|title|placeholder|alt|aria-description)="([^"]*)"/g)].map(
    ([, text]) => text!,
  )
  const read = page.replaceAll(/<(?:style|script|math)[\s\S]*?<\/\w+>/g, ' ').replaceAll(/<[^>]+>/g, ' ')
  return [...spoken, read].flatMap((text) => text.match(/[a-zA-Z]{3,}/g) ?? []).filter((word) => !NAMES.has(word))
}

describe.each(['zh', 'zh-CN', 'zh_CN'])('[K17] a page in %s', (locale) => {
  test('the empty chat shows and says nothing in English', () => {
    expect(wordsOn(renderToStaticMarkup(createElement(ChatKit, { adapter, locale })))).toEqual([])
  })

  test.each(blocks)('%s shows and says nothing in English', (_what, block) => {
    const store = createChatStore({ adapter, locale })
    const drawn = createElement(Block, { block, message, isStreaming: false })
    expect(
      wordsOn(renderToStaticMarkup(createElement(StoreProvider, { store, locale, blocks: LOADED }, drawn))),
    ).toEqual([])
  })
})
