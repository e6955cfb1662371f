import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject, ModelEvent, ModelMessage, ModelRequest } from '../../ports.ts'
import { answerIn, eventsOf, requestOf, toolNamed, userSays } from '../fixtures/ask.ts'
import { createDemoModel, SAMPLE_PROMPTS } from './model.ts'

const model = createDemoModel({ sleep: async () => undefined, chunkDelayMs: 0 })
const TOOLS = [
  ...['AskUserQuestion', 'Agent', 'Read', 'Write', 'Glob', 'Bash', 'DemoSend', 'RenderChart', 'RenderHtml'],
  ...['TaskCreate', 'TaskUpdate', 'SubmitPlan', 'analyse_by_code', 'display_analyse_by_code_result', 'look_up'],
].map(toolNamed)
const sample = (id: string) => SAMPLE_PROMPTS.find((prompt) => prompt.id === id) ?? { id, zh: '', en: '' }

type Step = { text: string; calls: { name: string; arguments: JsonObject }[]; events: ModelEvent[] }

/** Runs a conversation to its end with tools that answer at once; each step starts from the messages alone. */
async function converse(question: string, rest: Partial<ModelRequest> = {}): Promise<Step[]> {
  const steps: Step[] = []
  const messages: ModelMessage[] = [userSays(question)]
  for (let turn = 0; turn < 6; turn++) {
    const events = await eventsOf(model, requestOf('', { messages: [...messages], tools: TOOLS, ...rest }))
    const answer = answerIn(events)
    const calls = answer.content.filter((part) => part.type === 'tool_call')
    const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    steps.push({
      text,
      events,
      calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) })),
    })
    if (calls.length === 0) return steps
    messages.push(answer)
    for (const { id, name } of calls) {
      const is_error = name === 'Read' && question === sample('failing_tool').en
      messages.push({
        role: 'tool',
        tool_call_id: id,
        tool_name: name,
        text: `{"id":"result of ${name}","analyse_id":7}`,
        is_error,
      })
    }
  }
  return steps
}

const callsIn = (steps: Step[]) => steps.map(({ calls }) => calls.map(({ name }) => name))

describe.each(['en', 'zh'] as const)('in %s', (language) => {
  test.each([
    ['hello', [[]]],
    ['survive', [['Write'], ['Write'], ['Write'], ['Write'], ['Write'], []]],
    ['thinking', [[]]],
    ['long', [[]]],
    ['slow', [[]]],
    ['tool', [['Glob'], []]],
    ['rounds', [['Write'], ['Read'], []]],
    ['parallel', [['Glob', 'Glob', 'Glob'], []]],
    ['question', [['AskUserQuestion'], []]],
    ['subagent', [['Agent'], []]],
    ['subagent_question', [['Agent'], []]],
    ['failing_tool', [['Read'], []]],
    ['command', [['Bash'], []]],
    ['background', [['Bash'], []]],
    ['confirmation', [['DemoSend'], []]],
    ['chart', [['RenderChart'], []]],
    ['card', [['RenderHtml'], []]],
    ['map', [['Bash'], []]],
    ['tasks', [['TaskCreate'], ['TaskUpdate'], []]],
    ['plan', [['SubmitPlan'], []]],
    ['own_tool', [['look_up'], []]],
    ['analysis', [['analyse_by_code'], ['display_analyse_by_code_result'], []]],
  ])('the sample prompt %s takes the rounds %j', async (id, rounds) => {
    const steps = await converse(sample(id)[language])
    expect(callsIn(steps)).toEqual(rounds)
    expect(steps.at(-1)?.events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    expect(/\p{Script=Han}/u.test(steps.at(-1)?.text ?? '')).toBe(language === 'zh')
  })

  test.each([
    ['subagent', [['Glob'], []]],
    ['subagent_question', [['AskUserQuestion'], []]],
  ])('the sub-agent of %s takes the rounds %j', async (id, rounds) => {
    const [first] = await converse(sample(id)[language])
    const { prompt, description } = z
      .strictObject({ prompt: z.string(), description: z.string() })
      .parse(first?.calls[0]?.arguments)
    expect(description).not.toBe('')
    expect(callsIn(await converse(prompt))).toEqual(rounds)
  })

  test('an unknown question is answered with what this is, how to get a real model, and every sample', async () => {
    const tools = TOOLS.filter(({ name }) => name !== 'SubmitPlan')
    const [{ text } = { text: '' }] = await converse(language === 'zh' ? '今天天气如何？' : 'How is the weather?', {
      tools,
    })
    expect(text).toContain(language === 'zh' ? '演示模型' : 'demo model')
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'PARLEY_MODEL_URL']) expect(text).toContain(name)
    for (const prompt of SAMPLE_PROMPTS.slice(1)) expect(text).toContain(prompt[language])
  })

  test('without its tool a sample says so in place of calling it', async () => {
    for (const { id } of SAMPLE_PROMPTS) {
      const steps = await converse(sample(id)[language], { tools: [] })
      expect(callsIn(steps)).toEqual([[]])
      expect(steps[0]?.text).not.toBe('')
    }
  })
})

test('every feature of the wire has a sample prompt, each in both languages and each different', () => {
  expect(SAMPLE_PROMPTS.map(({ id }) => id)).toEqual([
    'hello',
    'survive',
    'compaction',
    'thinking',
    'long',
    'tool',
    'rounds',
    'parallel',
    'subagent_question',
    'subagent',
    'question',
    'failing_tool',
    'slow',
    'own_tool',
    'analysis',
    'knowledge',
    'command',
    'background',
    'confirmation',
    'chart',
    'card',
    'map',
    'tasks',
    'plan',
  ])
  expect(new Set(SAMPLE_PROMPTS.flatMap(({ zh, en }) => [zh, en])).size).toBe(2 * SAMPLE_PROMPTS.length)
})

test('the same request gets the same answer, also from another instance', async () => {
  const request = requestOf(sample('parallel').en, { tools: TOOLS })
  const other = createDemoModel({ sleep: async () => undefined, chunkDelayMs: 0 })
  await eventsOf(model, requestOf('Hello'))
  expect(await eventsOf(other, request)).toEqual(await eventsOf(model, request))
})

test('call ids differ between the calls of an answer and between conversations', async () => {
  const idsOf = async (request: ModelRequest) =>
    (await eventsOf(model, request)).flatMap((event) => (event.type === 'tool_call' ? [event.call.id] : []))
  const one = await idsOf(requestOf(sample('parallel').en, { tools: TOOLS }))
  const two = await idsOf(requestOf('', { tools: TOOLS, messages: [userSays('Hi'), userSays(sample('parallel').en)] }))
  expect(new Set([...one, ...two]).size).toBe(6)
})

test('a new question is answered although tools have answered an older one', async () => {
  const messages: ModelMessage[] = [
    userSays(sample('tool').en),
    { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'Glob', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'a', tool_name: 'Glob', text: 'a.txt', is_error: false },
    userSays(sample('tool').en),
  ]
  const events = await eventsOf(model, requestOf('', { messages, tools: TOOLS }))
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' })
})

test('the results of the tools are in the answer', async () => {
  for (const id of ['tool', 'rounds', 'parallel', 'question', 'subagent', 'failing_tool'])
    expect((await converse(sample(id).en)).at(-1)?.text).toContain('result of')
})

test('a failed write is reported, not read back', async () => {
  const messages: ModelMessage[] = [
    userSays(sample('rounds').en),
    { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'Write', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'a', tool_name: 'Write', text: 'disk full', is_error: true },
  ]
  const answer = answerIn(await eventsOf(model, requestOf('', { messages, tools: TOOLS })))
  expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining('disk full') }])
})

test('questions have the form that AskUserQuestion takes', async () => {
  const [first] = await converse(sample('question').en)
  const option = z.strictObject({ label: z.string(), description: z.string().optional() })
  const question = z.strictObject({
    question: z.string(),
    header: z.string().optional(),
    options: z.array(option).min(1),
    multiSelect: z.boolean().optional(),
  })
  z.strictObject({ questions: z.array(question).min(1) }).parse(first?.calls[0]?.arguments)
})

test('thinking comes before the text', async () => {
  const [first] = await converse(sample('thinking').en)
  const types = first?.events.map(({ type }) => type)
  expect(types).toEqual(['accepted', 'thinking', 'part_end', 'text', 'part_end', 'finish'])
})

test('the long answer is long, and the deltas together are the text', async () => {
  for (const language of ['en', 'zh'] as const) {
    const [first] = await converse(sample('long')[language])
    expect(first?.text.length).toBeGreaterThan(1000)
    expect(first?.text).toMatch(/^# [\s\S]*\| [\s\S]*```ts[\s\S]*```[\s\S]*。?\*?\*?\.?$/)
  }
})

test('the pause between deltas is the one asked for, and the slow answer is much slower', async () => {
  const pauses: number[] = []
  const paced = createDemoModel({ sleep: async (ms) => void pauses.push(ms), chunkDelayMs: 20 })
  await eventsOf(paced, requestOf('Hello'))
  expect(new Set(pauses)).toEqual(new Set([20]))
  pauses.length = 0
  await eventsOf(paced, requestOf(sample('slow').en))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(400)
})

test('an abort ends the stream at once without another event', async () => {
  const stopping = new AbortController()
  const seen: string[] = []
  for await (const event of model.stream(requestOf('Hello', { signal: stopping.signal }))) {
    seen.push(event.type)
    if (event.type === 'text') stopping.abort()
  }
  expect(seen).toEqual(['accepted', 'text'])
})

test('a run that wants a structured result gets one that fits its schema, after the tools', async () => {
  const schema = {
    type: 'object',
    properties: { title: { type: 'string' }, score: { type: 'integer', minimum: 3 } },
    required: ['title', 'score'],
  }
  const submit = { name: 'submit_result', description: '', input: schema }
  const steps = await converse(sample('tool').en, { tools: [...TOOLS, submit] })
  expect(callsIn(steps).slice(0, 2)).toEqual([['Glob'], ['submit_result']])
  expect(steps[1]?.calls[0]?.arguments).toEqual({ title: 'demo', score: 3 })
})
