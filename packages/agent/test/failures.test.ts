import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AgentConfig, type AgentEvent, createAgent, ScriptedModel } from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'

const llm = () => new ScriptedModel([{ content: 'ok' }])
const failing = (error: Error, content: string[] = []) => new ScriptedModel([{ content, error }])
const invalid = Object.assign(new Error('there is no such model'), { status: 400 })

test('[S17] [S13] a failed run resolves, after its one error event', async () => {
  await using agent = createAgent({ llm: failing(invalid, ['部分']) })
  const events: AgentEvent[] = []
  const response = await agent.chat('x', { onEvent: (event) => events.push(event) })
  expect(response).toMatchObject({ type: 'execute', data: { error: true, code: expect.any(String) } })
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  expect(events.at(-1)?.type).toBe('error')
  expect(response.message).toBe((events.at(-1) as Extract<AgentEvent, { type: 'error' }>).data.message)
})

test('[ST7] [S14] a tool that throws, fails, gives nothing, or is not there is a tool error, and the model goes on', async () => {
  const call = (name: string, args = {}) => ({ toolCalls: [{ name, arguments: args }] })
  const model = new ScriptedModel([call('throws'), call('fails'), call('empty'), call('ghost'), { content: 'sorry' }])
  await using agent = createAgent({ llm: model })
  const tool = (name: string, execute: () => Promise<never>) => ({ name, description: name, parameters: [], execute })
  await agent.loadPlugin({
    ...{ name: 'bad', version: '1', description: 'bad' },
    tools: [
      tool('throws', () => Promise.reject(new Error('thrown'))),
      tool('fails', async () => ({ success: false, content: 'c', error: { code: 'X', message: 'told' } }) as never),
      tool('empty', async () => undefined as never),
    ],
  })
  const events: AgentEvent[] = []
  const response = await agent.chat('x', { onEvent: (event) => events.push(event) })
  expect(response.message).toBe('sorry')
  const errors = events.flatMap((event) => (event.type === 'tool_error' ? [event.data.error] : []))
  expect(errors).toEqual([
    'thrown',
    'told',
    expect.stringContaining('gave no result'),
    expect.stringContaining('ghost'),
  ])
})

test('[S14] a result that is no JSON, or too long, harms nobody', async () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
  const model = new ScriptedModel([call('circle'), call('long'), { content: 'done' }])
  await using agent = createAgent({ llm: model })
  const tool = (name: string, content: string, data?: unknown) => ({
    ...{ name, description: name, parameters: [] },
    execute: async () => ({ success: true, content, data }),
  })
  const tools = [tool('circle', 'c', circle), tool('long', 'x'.repeat(3_000_000))]
  await agent.loadPlugin({ name: 'p', version: '1', description: 'p', tools })
  expect(await agent.chat('x')).toMatchObject({
    message: 'done',
    toolCalls: [
      { result: { success: false, content: expect.stringContaining('no JSON') } },
      { result: { success: true } },
    ],
  })
  expect(model.requests[2]!.messages.at(-1)!.content.length).toBeLessThan(100_000)
})

test('[S14] arguments are checked and completed before a tool sees them', async () => {
  const seen: unknown[] = []
  const call = (args: Record<string, unknown> | string) => ({ toolCalls: [{ name: 'set', arguments: args }] })
  const model = new ScriptedModel([
    call({}),
    call({ a: 1 }),
    call({ a: 'z' }),
    call('{'),
    call({ a: 'x' }),
    { content: '.' },
  ])
  await using agent = createAgent({ llm: model })
  await agent.loadPlugin({
    ...{ name: 'p', version: '1', description: 'p' },
    tools: [
      {
        name: 'set',
        description: 'Sets',
        parameters: [
          { name: 'a', type: 'string', description: 'a', required: true, enum: ['x', 'y'] },
          { name: 'b', type: 'number', description: 'b', required: false, default: 7 },
        ],
        async execute(args) {
          seen.push(args)
          return { success: true, content: 'set' }
        },
      },
    ],
  })
  const { toolCalls } = (await agent.chat('x')) as { toolCalls: { result: { content: string } }[] }
  expect(toolCalls.map(({ result }) => result.content)).toEqual([
    expect.stringContaining('a: is required'),
    expect.stringContaining('a: must be of type string'),
    expect.stringContaining('a: must be one of x, y'),
    expect.any(String),
    'set',
  ])
  expect(seen).toEqual([{ a: 'x', b: 7 }])
})

test('[ST8] [S12] a stop ends the run at once, and says so', async () => {
  const stop = new AbortController()
  const model = new ScriptedModel([{ content: ['正在'], after: new Promise(() => {}) }])
  await using agent = createAgent({ llm: model })
  const response = await agent.chat('x', {
    abortSignal: stop.signal,
    onEvent: ({ type }) => type === 'content_chunk' && stop.abort(),
  })
  expect(response).toEqual({ type: 'execute', message: '正在', data: { cancelled: true, reason: 'user_cancelled' } })
})

test('[S18.11] [S12] a model that stalls is a timeout, not a stop; what it said before is kept', async () => {
  const never = new Promise(() => {})
  const behavior = { timeoutMs: 50 }
  await using silent = createAgent({
    llm: new ScriptedModel(Array.from({ length: 4 }, () => ({ before: never }))),
    behavior,
  })
  expect(await silent.chat('x')).toMatchObject({ data: { error: true, code: 'TIMEOUT', recoverable: true } })
  await using stalls = createAgent({ llm: new ScriptedModel([{ content: '正在', after: never }]), behavior })
  expect(await stalls.chat('x')).toMatchObject({ data: { error: true, code: 'TIMEOUT' } })
})

test('[S12] a message that is worked on for too long ends as timed out', async () => {
  const again = { toolCalls: [{ name: 'wait', arguments: {} }] }
  const llm = new ScriptedModel([again, again])
  await using agent = createAgent({ llm, behavior: { maxDuration: 1_000 } })
  const tool = { name: 'wait', description: 'Waits', parameters: [] }
  const execute = async (_args: unknown, { signal }: { signal: AbortSignal }) =>
    delay(60_000, undefined as never, { signal })
  await agent.loadPlugin({ name: 'p', version: '1', description: 'p', tools: [{ ...tool, execute }] })
  expect(await agent.chat('x')).toMatchObject({ data: { cancelled: true, reason: 'timeout' } })
})

test('[S12] a tool that takes too long is aborted, and the run goes on', async () => {
  const model = new ScriptedModel([{ toolCalls: [{ name: 'slow', arguments: {} }] }, { content: 'late' }])
  await using agent = createAgent({ llm: model, behavior: { toolTimeoutMs: 50 } })
  const slow = { name: 'slow', description: 's', parameters: [] }
  const execute = async (_args: unknown, { signal }: { signal: AbortSignal }) =>
    delay(60_000, undefined as never, { signal })
  await agent.loadPlugin({ name: 'p', version: '1', description: 'p', tools: [{ ...slow, execute }] })
  expect(await agent.chat('x')).toMatchObject({
    message: 'late',
    toolCalls: [{ result: { success: false, content: expect.stringContaining('longer than 50 ms') } }],
  })
})

test('[ST9] at the limit of iterations the answer says that it is partial', async () => {
  const again = { toolCalls: [{ name: 'get_boss_stats', arguments: { world: 'w' } }] }
  const { plugin } = bossPlugin()
  await using agent = createAgent({
    ...{ llm: new ScriptedModel([again, again, again]), plugins: [plugin] },
    behavior: { maxIterations: 2 },
  })
  expect(await agent.chat('x')).toMatchObject({ type: 'execute', data: { partial: true, iterations: 2 } })
})

test('[S17] an onEvent that throws is a fault of the program: it is told, and the run is not harmed', async () => {
  await using agent = createAgent({ llm: llm() })
  const listen = () => {
    throw new Error('mine')
  }
  await expect(agent.chat('x', { sessionId: 's', messageId: 'm', onEvent: listen })).rejects.toThrow('mine')
  expect(await agent.chat('x', { sessionId: 's', messageId: 'm' })).toEqual({ type: 'execute', message: 'ok' })
})

test('[S2] an empty message, and one that is too long, is answered with an error event', async () => {
  await using agent = createAgent({ llm: llm() })
  for (const message of ['', '  ', 'x'.repeat(32_769)])
    expect(await agent.chat(message)).toMatchObject({ data: { error: true, code: 'INVALID_REQUEST' } })
})

test.each([
  [{}, 'llm'],
  [{ llm: {} }, 'llm'],
  [{ llm: llm(), modle: 1 }, 'modle'],
  [{ llm: llm(), behavior: { maxIterations: 0 } }, 'maxIterations'],
  [{ llm: llm(), behavior: { maxDuration: 1 } }, 'maxDuration'],
  [{ llm: llm(), language: 'fr' }, 'language'],
])('[S17] a configuration that cannot be meant is a TypeError that names it: %#', (config, name) => {
  expect(() => createAgent(config as unknown as AgentConfig)).toThrow(TypeError)
  expect(() => createAgent(config as unknown as AgentConfig)).toThrow(name)
})

test('[S17] so is a call that cannot be meant', async () => {
  await using agent = createAgent({ llm: llm() })
  await expect(agent.chat(7 as never)).rejects.toThrow(TypeError)
  await expect(agent.chat('x', { sessionId: 'a b' })).rejects.toThrow('sessionId')
  await expect(agent.chat('x', { sesionId: 'a' } as never)).rejects.toThrow('sesionId')
  await expect(agent.chat('x', { skipKnowledge: 'yes' as never })).rejects.toThrow('skipKnowledge')
  await agent.close()
  await expect(agent.chat('x')).rejects.toThrow('closed')
})
