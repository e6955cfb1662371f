import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AgentEvent, type ConfirmResponse, createAgent, ScriptedModel } from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'

const risky = { toolCalls: [{ name: 'delete_boss_config', arguments: { target: 'all' } }] }
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function open(
  answers: ConstructorParameters<typeof ScriptedModel>[0],
  more: { dataDir?: string; behavior?: object } = {},
) {
  const llm = new ScriptedModel(answers)
  const boss = bossPlugin()
  const agent = createAgent({ llm, plugins: [boss.plugin], logger: quiet, ...more })
  return { agent, llm, executed: boss.executed, [Symbol.asyncDispose]: () => agent.close() }
}

async function makeDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'parley-agent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('[S17] the source text’s own example: asked without a session, answered with what came back', async () => {
  await using place = open([risky, { content: '已成功删除所有 Boss 配置' }])
  const { agent, llm, executed } = place
  const response1 = (await agent.chat('删除所有 Boss 配置')) as ConfirmResponse
  expect(response1).toMatchObject({
    type: 'confirm',
    message: '即将执行操作: delete_boss_config，请确认是否继续？',
    action: { type: 'delete_boss_config', target: 'all', params: { target: 'all' } },
    risk: 'high',
    preview: '工具: delete_boss_config\n参数: {\n  "target": "all"\n}',
    pendingConfirmation: {
      toolName: 'delete_boss_config',
      arguments: { target: 'all' },
      userMessage: '删除所有 Boss 配置',
    },
  })
  expect(executed).toEqual([])
  const response2 = await agent.chat('确认', { pendingConfirmation: response1.pendingConfirmation })
  expect(response2).toMatchObject({
    type: 'execute',
    message: '已成功删除所有 Boss 配置',
    toolCalls: [{ toolName: 'delete_boss_config', arguments: { target: 'all' } }],
  })
  expect(executed).toHaveLength(1)
  expect(llm.calls).toBe(2)
})

test('[ST3] the second stream is that of a continuation, under the same session and call', async () => {
  await using place = open([risky, { content: 'done' }])
  const { agent } = place
  const first: AgentEvent[] = []
  const second: AgentEvent[] = []
  const asked = await agent.chat('x', { sessionId: 's', onEvent: (event) => first.push(event) })
  expect(first.map(({ type }) => type)).toEqual(['processing_started', 'confirmation_check', 'confirmation_required'])
  const { pendingConfirmation } = asked as ConfirmResponse
  await agent.chat('yes', { sessionId: 's', pendingConfirmation, onEvent: (event) => second.push(event) })
  expect(second.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'processing_started',
    'iteration_started',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed',
    'iteration_started',
    'content_chunk',
    'decision',
    'iteration_completed',
    'completed',
  ])
  expect(second[2]?.data).toMatchObject({ toolCallId: pendingConfirmation.toolCallId, arguments: { target: 'all' } })
})

test.each(['取消', 'ok?', '好的，确认删除', ''])(
  '[ST4] [S8.3] %j refuses: nothing runs, and no model is asked',
  async (answer) => {
    await using place = open([risky])
    const { agent, llm, executed } = place
    const { pendingConfirmation } = (await agent.chat('x', { sessionId: 's' })) as ConfirmResponse
    expect(await agent.chat(answer, { sessionId: 's', pendingConfirmation })).toEqual({
      type: 'execute',
      message: '操作已取消。',
      data: { cancelled: true },
    })
    expect(executed).toEqual([])
    expect(llm.calls).toBe(1)
  },
)

test('[S18.5] of two answers at once one runs the call, the other is told', async () => {
  await using directory = await makeDirectory()
  await using one = open([risky, { content: 'done' }], { dataDir: directory.path })
  await using two = open([{ content: 'done' }], { dataDir: directory.path })
  const { pendingConfirmation } = (await one.agent.chat('x', { sessionId: 's' })) as ConfirmResponse
  const answers = await Promise.all(
    [one, two].map(({ agent }) => agent.chat('确认', { sessionId: 's', pendingConfirmation })),
  )
  expect(one.executed.length + two.executed.length).toBe(1)
  const failed = answers.filter((answer) => answer.type === 'execute' && answer.data !== undefined)
  expect(failed).toEqual([
    expect.objectContaining({
      data: expect.objectContaining({
        error: true,
        code: expect.stringMatching(/^(SESSION_BUSY|CONFIRMATION_NOT_FOUND)$/),
      }),
    }),
  ])
})

test('[S18.4] [S8.4] what does not wait is not run: another call, an old one, a made-up one', async () => {
  await using place = open([risky, { content: 'done' }])
  const { agent, executed } = place
  const { pendingConfirmation: pending } = (await agent.chat('x', { sessionId: 's' })) as ConfirmResponse
  const answer = (pendingConfirmation: typeof pending) => agent.chat('确认', { sessionId: 's', pendingConfirmation })
  expect(await answer({ ...pending, arguments: { target: 'one' } })).toMatchObject({
    data: { code: 'CONFIRMATION_MISMATCH' },
  })
  expect(await answer({ ...pending, confirmationId: 'conf_other' })).toMatchObject({ data: { error: true } })
  expect(executed).toEqual([])
  expect(await answer(pending)).toMatchObject({ message: 'done' })
  expect(await answer(pending)).toMatchObject({ data: { error: true, code: 'CONFIRMATION_NOT_FOUND' } })
  expect(executed).toHaveLength(1)
})

describe('[S8.2] with the four fields of the source text', () => {
  const four = {
    ...{ toolName: 'delete_boss_config', arguments: { target: 'all' }, userMessage: '删除所有 Boss 配置' },
    timestamp: new Date('2024-01-01T00:00:01.500Z'),
  }

  test('the call is rebuilt where nothing is stored, and runs once however often it is answered', async () => {
    await using place = open([{ content: 'done' }])
    const { agent, llm, executed } = place
    const events: AgentEvent[] = []
    const onEvent = (event: AgentEvent) => void events.push(event)
    expect(await agent.chat('确认', { pendingConfirmation: four, onEvent })).toMatchObject({
      message: 'done',
      toolCalls: [{ toolName: 'delete_boss_config', arguments: { target: 'all' } }],
    })
    expect(events.filter(({ type }) => type === 'processing_started')).toHaveLength(1)
    expect(llm.calls).toBe(1)
    expect(llm.requests[0]?.messages.slice(1)).toMatchObject([
      { role: 'user', content: '删除所有 Boss 配置' },
      { role: 'assistant', toolCalls: [{ name: 'delete_boss_config', arguments: { target: 'all' } }] },
      { role: 'tool', content: 'deleted' },
    ])
    expect(await agent.chat('确认', { pendingConfirmation: four })).toMatchObject({
      data: { code: 'CONFIRMATION_NOT_FOUND' },
    })
    expect(executed).toHaveLength(1)
  })

  test('a refusal runs nothing', async () => {
    await using place = open([])
    const { agent, llm, executed } = place
    expect(await agent.chat('取消', { sessionId: 's', pendingConfirmation: four })).toMatchObject({
      data: { cancelled: true },
    })
    expect([executed.length, llm.calls]).toEqual([0, 0])
  })

  test('a call that waits here is the one that is answered', async () => {
    await using place = open([risky, { content: 'done' }])
    const { agent, llm, executed } = place
    const { pendingConfirmation } = (await agent.chat('x')) as ConfirmResponse
    const { toolName, arguments: args, userMessage, timestamp } = pendingConfirmation
    const kept = { toolName, arguments: args, userMessage, timestamp }
    expect(await agent.chat('确认', { pendingConfirmation: kept })).toMatchObject({ message: 'done' })
    expect([executed.length, llm.calls]).toEqual([1, 2])
    expect(await agent.chat('确认', { pendingConfirmation: kept })).toMatchObject({
      data: { code: 'CONFIRMATION_NOT_FOUND' },
    })
    expect(executed).toHaveLength(1)
  })
})

test('[SA5] [S17] skipConfirmation is for one run, requireConfirmation for an agent', async () => {
  await using place = open([risky, { content: 'done' }, risky])
  expect(await place.agent.chat('x', { sessionId: 's', skipConfirmation: true })).toMatchObject({ message: 'done' })
  expect(await place.agent.chat('x', { sessionId: 's' })).toMatchObject({ type: 'confirm' })
  await using bold = open([risky, { content: 'done' }], { behavior: { requireConfirmation: false } })
  expect(await bold.agent.chat('x')).toMatchObject({ message: 'done' })
})

test('[S8.5.4] an answer that comes too late runs nothing, and says so', async () => {
  await using place = open([risky], { behavior: { confirmationTtlMs: 100 } })
  const { agent, executed } = place
  const { pendingConfirmation } = (await agent.chat('x', { sessionId: 's' })) as ConfirmResponse
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(pendingConfirmation.expiresAt))
  expect(await agent.chat('确认', { sessionId: 's', pendingConfirmation })).toMatchObject({
    message: '确认已过期，请重新发起操作。',
    data: { cancelled: true },
  })
  expect(executed).toEqual([])
})

test('[S18.8] [S9] asked by one agent, answered after it is gone', async () => {
  await using directory = await makeDirectory()
  let asked: ConfirmResponse
  {
    await using first = open([risky], { dataDir: directory.path })
    asked = (await first.agent.chat('x', { sessionId: 's' })) as ConfirmResponse
  }
  await using second = open([{ content: 'done' }], { dataDir: directory.path })
  const { pendingConfirmation } = asked
  expect(await second.agent.chat('确认', { sessionId: 's', pendingConfirmation })).toMatchObject({ message: 'done' })
  expect(second.executed).toEqual([{ tool: 'delete_boss_config', args: { target: 'all' }, sessionId: 's' }])
})

test('[S14] what is sensitive is shown as ***, and executed as it is', async () => {
  const seen: unknown[] = []
  const args = { user: 'ada', password: 'geheim' }
  const llm = new ScriptedModel([{ toolCalls: [{ name: 'set_password', arguments: args }] }, { content: 'done' }])
  await using agent = createAgent({ llm })
  await agent.loadPlugin({
    ...{ name: 'users', version: '1', description: 'Users' },
    tools: [
      {
        ...{ name: 'set_password', description: 'Sets a password', requiresConfirmation: true },
        parameters: [
          { name: 'user', type: 'string', description: 'Whose', required: true },
          { name: 'password', type: 'string', description: 'Which', required: true, sensitive: true },
        ],
        async execute(given) {
          seen.push(given)
          return { success: true, content: 'set' }
        },
      },
    ],
  })
  const events: AgentEvent[] = []
  const onEvent = (event: AgentEvent) => void events.push(event)
  const asked = (await agent.chat('x', { onEvent })) as ConfirmResponse
  expect(asked.pendingConfirmation.arguments).toEqual({ user: 'ada', password: '***' })
  const { pendingConfirmation } = asked
  const done = await agent.chat('确认', { pendingConfirmation, onEvent })
  expect(done).toMatchObject({ message: 'done' })
  expect(seen).toEqual([args])
  expect(JSON.stringify([asked, done, events])).not.toContain('geheim')
})
