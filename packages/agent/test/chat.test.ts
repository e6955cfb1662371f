import { expect, test } from 'vitest'
import { type AgentEvent, createAgent, ScriptedModel } from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'

test('[S17] a message is answered in process, and its events are told in order', async () => {
  const llm = new ScriptedModel([{ content: ['你', '好！'] }])
  await using agent = createAgent({ llm })
  const events: AgentEvent[] = []
  const response = await agent.chat('你好', { sessionId: 's', messageId: 'm', onEvent: (event) => events.push(event) })
  expect(response).toEqual({ type: 'execute', message: '你好！' })
  expect(events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'processing_started',
    'confirmation_check',
    'iteration_started',
    'content_chunk',
    'decision',
    'iteration_completed',
    'completed',
  ])
  expect(events.every(({ sessionId }) => sessionId === 's')).toBe(true)
  expect(llm.requests[0]?.messages).toEqual([
    { role: 'system', content: expect.any(String) },
    { role: 'user', content: '你好' },
  ])
})

test('[ST2] [S14] a tool runs with its arguments, and the model reads its result', async () => {
  const llm = new ScriptedModel([
    { toolCalls: [{ name: 'get_boss_stats', arguments: { world: 'main' } }] },
    { content: '5' },
  ])
  const boss = bossPlugin()
  await using agent = createAgent({ llm, plugins: [boss.plugin] })
  const events: AgentEvent[] = []
  const response = await agent.chat('几个？', { sessionId: 's', onEvent: (event) => events.push(event) })
  expect(response).toEqual({
    type: 'execute',
    message: '5',
    toolCalls: [
      {
        toolName: 'get_boss_stats',
        arguments: { world: 'main' },
        result: { success: true, content: '5 bosses', data: { total: 5 } },
      },
    ],
  })
  expect(boss.executed).toEqual([{ tool: 'get_boss_stats', args: { world: 'main' }, sessionId: 's' }])
  expect(llm.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('5 bosses') })
  expect(events.find(({ type }) => type === 'tool_call_completed')?.data).toMatchObject({ result: { total: 5 } })
})
