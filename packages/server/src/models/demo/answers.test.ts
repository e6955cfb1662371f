import { describe, expect, test } from 'vitest'
import type { JsonObject, ModelMessage } from '../../ports.ts'
import { readSuggestions } from '../../suggestions/read-suggestions.ts'
import { answerIn, eventsOf, requestOf, toolNamed, userSays } from '../fixtures/ask.ts'
import { createDemoModel, SAMPLE_PROMPTS } from './model.ts'

// What a newcomer reads: the demo with tools that answer as the server's own do.

const model = createDemoModel({ sleep: async () => undefined, chunkDelayMs: 0 })
const READING = ['AskUserQuestion', 'Read', 'Glob', 'TaskList']
const ACTING = [
  ...READING,
  'Agent',
  'Write',
  'Bash',
  'DemoSend',
  'RenderChart',
  'RenderHtml',
  'analyse_by_code',
  'display_analyse_by_code_result',
  'TaskCreate',
  'TaskUpdate',
]
const PLANNING = [...READING, 'SubmitPlan']

/** A conversation with its workspace, which the tools really read and write. */
class Talk {
  readonly messages: ModelMessage[] = []
  readonly files = new Map<string, string>()
  readonly calls: { name: string; arguments: JsonObject }[] = []
  #plans = 0

  /** The last text of the answer to a message. */
  async say(question: string, tools: readonly string[] = ACTING): Promise<string> {
    this.messages.push(userSays(question))
    this.calls.length = 0
    for (let round = 0; round < 12; round++) {
      const request = requestOf('', { messages: [...this.messages], tools: tools.map(toolNamed) })
      const answer = answerIn(await eventsOf(model, request))
      this.messages.push(answer)
      const calls = answer.content.filter((part) => part.type === 'tool_call')
      for (const { id, name, arguments: json } of calls) {
        const input = JSON.parse(json) as JsonObject
        this.calls.push({ name, arguments: input })
        this.messages.push({ role: 'tool', tool_call_id: id, tool_name: name, ...this.#result(name, input) })
      }
      if (calls.length === 0) return answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    }
    throw new Error('The demo does not come to an end.')
  }

  #result(name: string, input: JsonObject): { text: string; is_error: boolean } {
    const textIn = (field: string) => (input[field] ?? '') as string
    const path = textIn('file_path')
    const done = (text: string) => ({ text, is_error: false })
    if (name === 'Glob') {
      const ending = textIn('pattern').replace('**/*', '')
      return done(JSON.stringify([...this.files.keys()].filter((file) => file.endsWith(ending))))
    }
    if (name === 'Write') this.files.set(path, textIn('content'))
    if (name === 'Write') return done(`Wrote ${textIn('content').length} bytes to ${path}.`)
    if (name === 'Read' && !this.files.has(path)) return { text: `There is no file ${path}.`, is_error: true }
    if (name === 'Read')
      return done(
        this.files
          .get(path)!
          .trimEnd()
          .split('\n')
          .map((line, n) => `${n + 1}\t${line}`)
          .join('\n'),
      )
    if (name === 'SubmitPlan') {
      const key = (this.#plans += 1)
      const steps = (input['steps'] as string[]).map((title, n) => ({ id: `step_${key}_${n + 1}`, title }))
      return done(JSON.stringify({ ok: true, steps }))
    }
    if (name === 'AskUserQuestion')
      return done('{"answers":[{"question":"Where?","header":"H","selected":["staging"],"custom":null}]}')
    if (name === 'Agent') return done('The workspace holds no files yet.')
    if (name === 'Bash') return done(input['run_in_background'] ? 'Started in the background as bg_1.' : 'Linux')
    if (name === 'analyse_by_code')
      return done('{"analyse_id":1,"result":{"content":[{"type":"text","text":"The best month was **Nov**."}]}}')
    if (name === 'DemoSend') return done('Nothing was sent; this is a demo.')
    return done(JSON.stringify({ ok: true, id: 'task_1' }))
  }
}

test.each<[said: string, answer: RegExp]>([
  ['list the files', /workspace is empty.*Write a note/s],
  ['what files are there?', /workspace is empty/],
  ['列出文件', /工作区是空的.*写一条笔记/s],
  ['有哪些文件？', /工作区是空的/],
  ['what can you do', /^Hello! I am the \*\*demo model\*\*(?!.*You wrote).*- Draw a chart.*PARLEY_MODEL_URL/s],
  ['help', /^Hello! I am the \*\*demo model\*\*/],
  ['你好', /^你好！我是\*\*演示模型\*\*.*- 画一张图表/s],
  ['你能做什么', /^你好！我是\*\*演示模型\*\*/],
  ['write a file and read it', /I wrote `demo\/note.md` and read it back.*Written by the demo model.*List the files/s],
  ['写一个文件再读出来', /我写好了 `demo\/note.md`.*由演示模型写下.*列出工作区里的文件/s],
  ['draw a chart', /numbers are made up.*Show me a card/s],
  ['画个柱状图', /数字是编的.*展示一张卡片/s],
  ['use several tools at once', /side by side.*`\*\*\/\*\.md`.*no such file.*Write a note/s],
  ['ask me a question', /You answered:\n\n- Where\? \*\*staging\*\*.*confirmation/s],
  ['Who won the match in 1974?', /^I have no script for “Who won the match in 1974\?”.*demo model.*- List the files/s],
  ['今天天气怎么样', /“今天天气怎么样”——我没有对应的脚本.*演示模型.*- 列出工作区里的文件/s],
])('“%s” is answered in words that lead on', async (said, answer) => {
  const text = await new Talk().say(said)
  expect(text).toMatch(answer)
  expect(text).not.toMatch(/(^|\n|: )\[\]|undefined|\{"/)
})

test.each(
  SAMPLE_PROMPTS.flatMap(({ id, zh, en }) => [
    [id, en],
    [id, zh],
  ]),
)('the answer to the sample %s, “%s”, shows nobody JSON or an empty list', async (_id, prompt) => {
  expect(await new Talk().say(prompt)).not.toMatch(/(^|\n|: )\[\]|undefined|\{"/)
})

test('files that were written are listed afterwards', async () => {
  const talk = new Talk()
  await talk.say('write a note')
  expect(await talk.say('list the files')).toMatch(/The workspace holds:\n\n- `demo\/note.md`/)
  for (let n = 0; n < 30; n++) talk.files.set(`f${n}.txt`, '')
  expect(await talk.say('list the files')).toContain('and 11 more')
})

describe.each([
  {
    language: 'en',
    ask: 'Make a plan first',
    carryOut: 'Run this plan.',
    change: 'Change the plan: with a title',
    refuse: 'I reject this plan. Do not run it.',
    end: 'All steps of the plan are done',
  },
  {
    language: 'zh',
    ask: '先给我一个计划',
    carryOut: '请按计划执行。',
    change: '请修改计划：加上标题',
    refuse: '我拒绝这个计划，不要执行。',
    end: '计划已执行完毕',
  },
])('the plan, in $language,', ({ ask, carryOut, change, refuse, end }) => {
  const statuses = ({ calls }: Talk) =>
    calls.flatMap(({ name, arguments: { id, status } }) =>
      name === 'TaskUpdate' ? [`${id as string} ${status as string}`] : [],
    )

  test('is carried out step by step, really, and summed up', async () => {
    const talk = new Talk()
    await talk.say(ask, PLANNING)
    expect(talk.calls.map(({ name }) => name)).toEqual(['SubmitPlan'])
    expect(talk.files.size).toBe(0)
    const summary = await talk.say(carryOut)
    expect(statuses(talk)).toEqual([
      'step_1_1 in_progress',
      ...['step_1_1 completed', 'step_1_2 in_progress'],
      ...['step_1_2 completed', 'step_1_3 in_progress'],
      'step_1_3 completed',
    ])
    expect(summary).toContain(end)
    expect(summary.match(/✓/g)).toHaveLength(3)
    expect([...talk.files.keys()]).toEqual(['demo/plan.md'])
  })

  test('is proposed anew with what somebody wants changed, and that one is carried out', async () => {
    const talk = new Talk()
    await talk.say(ask, PLANNING)
    await talk.say(change, PLANNING)
    expect(talk.calls).toMatchObject([
      {
        name: 'SubmitPlan',
        arguments: {
          steps: [{}, {}, {}, change].map((step) => (typeof step === 'string' ? step : expect.any(String))),
        },
      },
    ])
    const summary = await talk.say(carryOut)
    expect(statuses(talk).at(-1)).toBe('step_2_4 completed')
    expect(summary).toContain(change)
  })

  test('is dropped when it is refused', async () => {
    const talk = new Talk()
    await talk.say(ask, PLANNING)
    const text = await talk.say(refuse, PLANNING)
    expect(talk.calls).toEqual([])
    expect(text).toMatch(/nothing will be done|什么都不会做/)
  })
})

test('in planning mode any wish becomes a plan, and a greeting does not', async () => {
  const talk = new Talk()
  await talk.say('tidy up my notes', PLANNING)
  expect(talk.calls.map(({ name }) => name)).toEqual(['SubmitPlan'])
  expect(await new Talk().say('hello', PLANNING)).toContain('demo model')
})

test.each(SAMPLE_PROMPTS.flatMap(({ en, zh }) => [en, zh]))(
  'after “%s” it suggests three other things that it can show',
  async (prompt) => {
    const messages = [
      userSays(prompt),
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'x' }] },
      userSays('What next?'),
    ]
    const answer = answerIn(await eventsOf(model, requestOf('', { messages, purpose: 'suggestions' })))
    const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const suggestions = readSuggestions(text)
    expect(suggestions).toHaveLength(3)
    const known = new Set(SAMPLE_PROMPTS.flatMap(({ en, zh }) => [en, zh]))
    for (const suggestion of suggestions) {
      expect(known).toContain(suggestion)
      expect(suggestion).not.toBe(prompt)
      expect(/\p{Script=Han}/u.test(suggestion)).toBe(/\p{Script=Han}/u.test(prompt))
    }
  },
)
