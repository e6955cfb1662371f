import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { SAMPLE_PROMPTS } from '../../src/models/demo/model.ts'
import { World } from './world.ts'

test('[W10.11] the demo model shows a compaction in both languages, and sums up when it is asked to', async () => {
  await using world = await World.open('sqlite', { models: [{ id: 'demo', provider: 'demo' }], model: 'demo' })
  const prompts = SAMPLE_PROMPTS.find(({ id }) => id === 'compaction')!
  for (const [language, hello, told] of [
    ['zh', '你好，你能做什么？', '重新问了我'],
    ['en', 'Hello, what can you do?', 'asked me again'],
  ] as const) {
    await using chat = await world.chat()
    await chat.run(prompts[language])
    await chat.run(hello)
    const { end } = await chat.run(prompts[language])
    expect(end.status).toBe('completed')
    const turns = await chat.messages()
    const compaction = turns.find(({ kind }) => kind === 'compaction')!
    expect(compaction).toMatchObject({ status: 'completed', trigger: 'forced_retry' })
    expect(compaction.summary_full).toMatch(language === 'zh' ? /演示模型/ : /demo/)
    expect(textOf(turns.at(-1)!)).toContain(told)
  }
})
