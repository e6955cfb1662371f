import type { TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { World } from './world.ts'

const HAN = /\p{Script=Han}/u

/** What shows a tool, parallel tools, a failing one, a question, sub-agents, a confirmation, tasks, and a plan. */
const PROMPTS = {
  en: [
    'List the files in the workspace',
    'Use several tools at once',
    'Show me a tool that fails',
    'Delegate this to a sub-agent',
    'Ask me a question',
    'Let a sub-agent ask me something',
    'Do something that needs my confirmation',
    'Keep a task list',
    'Make a plan first',
  ],
  zh: [
    '列出工作区里的文件',
    '同时使用多个工具',
    '演示一个失败的工具',
    '把这件事交给子智能体',
    '问我一个问题',
    '让子智能体问我一个问题',
    '做一件需要我确认的事',
    '维护一个任务列表',
    '先给我一个计划',
  ],
}

/** A conversation with the demo in one language, on a server whose own is the other. */
async function converse(language: 'zh' | 'en'): Promise<{ received: unknown; turns: TurnProjection[] }> {
  const models = [{ id: 'demo', provider: 'demo' as const, name: 'Demo' }]
  await using world = await World.open('sqlite', { language: language === 'zh' ? 'en' : 'zh', models })
  await using chat = await world.chat({ auth: { language, patch_mode: 'compat' } })
  for (const prompt of PROMPTS[language]) {
    let run = await chat.run(prompt, /plan|计划/.test(prompt) ? { mode: 'planning' } : { mode: 'executing' })
    // The first question of each kind is answered, and the confirmation refused.
    const option = /confirmation|确认/.test(prompt) ? 1 : 0
    while (run.end.session_status === 'waiting_for_input') {
      const { questions } = run.end.pause_tool_data!.arguments as { questions: object[] }
      run = await chat.answer(Object.fromEntries(questions.map((_, index) => [index, [option]])))
    }
    expect(run.end.status, prompt).toBe('completed')
  }
  // One that nobody answers is withdrawn by the next message.
  await chat.run(PROMPTS[language][6]!, { mode: 'executing' })
  await chat.run(PROMPTS[language][0]!)
  const path = `/api/sessions/${chat.session_id}/messages`
  const { body } = await world.rest<TurnProjection[]>('GET', path, { headers: { 'accept-language': language } })
  return { received: chat.received, turns: body }
}

describe('a conversation that shows everything the demo can do', () => {
  test('has no Chinese in it for who reads English, on a Chinese server', async () => {
    const { received, turns } = await converse('en')
    for (const told of [received, turns]) expect(JSON.stringify(told)).not.toMatch(HAN)
  })

  test(
    'is Chinese wherever the server speaks for who reads Chinese, on an English server',
    { timeout: 60_000 },
    async () => {
      const { turns } = await converse('zh')
      const calls = turns.flatMap(({ tool_calls }) => tool_calls)
      expect(calls.length).toBeGreaterThan(8)
      for (const { display_name, tool_name } of calls) expect(display_name, tool_name).toMatch(HAN)
      const asked = calls.filter(({ arguments: given }) => given.includes('"confirmation"'))
      expect(asked).toHaveLength(2)
      for (const { arguments: given } of asked) {
        const [{ question, header, options }] = (JSON.parse(given) as { questions: [Record<string, unknown>] })
          .questions
        expect([question, header, ...(options as { label: string }[]).map(({ label }) => label)]).toEqual([
          expect.stringMatching(/^允许执行「.*」吗？$/),
          '需要确认',
          '同意',
          '拒绝',
        ])
      }
      const cancelled = calls.filter(({ status }) => status === 'cancelled').map(({ result }) => result)
      expect(cancelled).toEqual(expect.arrayContaining(['已被用户拒绝', '用户没有回答，而是发送了新消息。']))
      for (const result of cancelled) expect(result).toMatch(HAN)
    },
  )
})
