import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { expectGrammar } from './grammar.ts'
import { ask, dataOf, inShort, newSessionId, open, pendingIn, structure, textIn } from './sse.ts'

// Every trace of section 7, on the whole server.

const world = sharedWorld('sqlite', {
  language: 'zh',
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
  faces: { agentSse: { maxIterations: 10, maxConcurrent: 1_000, maxDuration: 300_000, heartbeatInterval: 15_000 } },
})

const bash = (command: string, id = 'c') => ({ id, name: 'Bash', arguments: { command, target: 'all' } })

test('[ST2] [S18.2] [S6.2.1] [S6.2.2] a tool that needs no confirmation', async () => {
  world().learn({ 看一下: [{ calls: [{ name: 'Work', arguments: { name: 'st2' } }] }, { text: '看完了' }] })
  world().gates.open('st2', '五个')
  const events = await ask(world(), { message: '看一下', sessionId: newSessionId(), messageId: 'm' })
  expectGrammar(events)
  expect(structure(events)).toEqual([
    'processing_started',
    'confirmation_check',
    'iteration_started{1}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{1}',
    'iteration_started{2}',
    'decision',
    'iteration_completed{2}',
    'completed',
  ])
  const { toolCallId } = dataOf(events, 'tool_call_started')
  expect(dataOf(events, 'tool_call_started')).toEqual({ toolCallId, toolName: 'Work', arguments: { name: 'st2' } })
  const duration = expect.any(Number)
  expect(dataOf(events, 'tool_call_completed')).toEqual({
    ...{ toolCallId, toolName: 'Work', success: true, duration, result: '五个' },
  })
  expect(events.find(({ type }) => type === 'iteration_completed')!.data).toEqual({
    ...{ iteration: 1, duration, toolCallCount: 1 },
  })
  expect(dataOf(events, 'completed')).toEqual({ messageId: 'm', totalDuration: duration, iterations: 2, toolCalls: 1 })
})

test('[ST3] [S5.4] [SA23] [S18.3] [SA1] [SA2] [SA9] [SA24] [S8.2] [S6.2.4] confirmation required, then confirmed: what was approved runs, with two model calls', async () => {
  world().learn({
    '删除所有 Boss 配置': (_request, round) =>
      round === 0
        ? // Asked again, it would say something else.
          { calls: [bash(world().requests('删除所有 Boss 配置').length === 1 ? 'rm boss' : 'rm everything')] }
        : { text: '已成功删除' },
  })
  const sessionId = newSessionId()
  const first = await ask(world(), { message: '删除所有 Boss 配置', sessionId, messageId: 'm1' })
  expectGrammar(first)
  expect(inShort(first)).toEqual(['processing_started', 'confirmation_check', 'confirmation_required'])
  const pending = pendingIn(first)
  expect(dataOf(first, 'confirmation_required')).toEqual({
    type: 'confirm',
    message: '即将执行操作: Bash，请确认是否继续？',
    action: { type: 'Bash', target: 'all', params: { command: 'rm boss', target: 'all' } },
    risk: 'medium',
    preview: '工具: Bash\n参数: {\n  "command": "rm boss",\n  "target": "all"\n}',
    pendingConfirmation: {
      toolName: 'Bash',
      arguments: { command: 'rm boss', target: 'all' },
      userMessage: '删除所有 Boss 配置',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      confirmationId: expect.any(String),
      toolCallId: expect.any(String),
      expiresAt: expect.stringMatching(/Z$/),
    },
  })
  const second = await ask(world(), { message: '确认', sessionId, messageId: 'm2', pendingConfirmation: pending })
  expectGrammar(second)
  expect(structure(second)).toEqual([
    'processing_started',
    'iteration_started{1}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{1}',
    'iteration_started{2}',
    'decision',
    'iteration_completed{2}',
    'completed',
  ])
  expect(dataOf(second, 'tool_call_started')).toEqual({
    toolCallId: pending.toolCallId,
    toolName: 'Bash',
    arguments: pending.arguments,
  })
  expect(dataOf(second, 'tool_call_completed')).toMatchObject({ success: true, result: 'total 48\nran rm boss' })
  expect(dataOf(second, 'completed')).toMatchObject({ messageId: 'm2', iterations: 2, toolCalls: 1 })
  expect(textIn(second)).toBe('已成功删除')
  expect(world().requests('删除所有 Boss 配置')).toHaveLength(2)
})

test('[ST4] [SA8] confirmation rejected: no model call, no tool, and the stream ends', async () => {
  world().learn({ 删掉它: [{ calls: [bash('rm it')] }], 然后呢: [{ text: '没有然后' }] })
  const sessionId = newSessionId()
  const pendingConfirmation = pendingIn(await ask(world(), { message: '删掉它', sessionId }))
  const events = await ask(world(), { message: '取消', sessionId, messageId: 'm2', pendingConfirmation })
  expectGrammar(events)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['processing_started', { messageId: 'm2' }],
    ['content_chunk', { content: '操作已取消。', isComplete: true }],
    ['decision', { reason: 'Operation was rejected by user', completed: false }],
    ['completed', { messageId: 'm2', totalDuration: 0, iterations: 0, toolCalls: 0 }],
  ])
  expect(world().requests('删掉它')).toHaveLength(1)
  // Nothing waits any more, and the conversation goes on.
  const after = await ask(world(), { message: '然后呢', sessionId })
  expect(textIn(after)).toBe('没有然后')
  const seen = world().requests('然后呢')[0]!.messages
  expect(seen.filter(({ role }) => role === 'user').length).toBe(3)
})

test('[ST5] [S18.6] [S8.4] a risky call in a later iteration keeps its number, and is confirmed with a word', async () => {
  world().learn({
    先看后删: [{ calls: [{ name: 'Work', arguments: { name: 'st5' } }] }, { calls: [bash('rm it')] }, { text: '好了' }],
  })
  world().gates.open('st5')
  const sessionId = newSessionId()
  const first = await ask(world(), { message: '先看后删', sessionId })
  expectGrammar(first)
  expect(inShort(first)).toEqual([
    'processing_started',
    'confirmation_check',
    'iteration_started{1}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{1}',
    'iteration_started{2}',
    'iteration_completed{2}',
    'confirmation_required',
  ])
  expect(first.at(-2)!.data).toMatchObject({ iteration: 2, toolCallCount: 0 })
  const second = await ask(world(), { message: 'yes', sessionId, pendingConfirmation: pendingIn(first) })
  expectGrammar(second)
  expect(structure(second)).toEqual([
    'processing_started',
    'iteration_started{2}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{2}',
    'iteration_started{3}',
    'decision',
    'iteration_completed{3}',
    'completed',
  ])
  expect(dataOf(second, 'completed')).toMatchObject({ iterations: 2, toolCalls: 1 })
})

test('[ST6] [SA16] [S5.5] [SA10] [SA11] a model that fails after some text: one error, and nothing after it', async () => {
  world().learn({ 说一半: [{ text: '部分', errorInStream: { type: 'invalid_request_error', message: 'no more' } }] })
  const events = await ask(world(), { message: '说一半', sessionId: newSessionId() })
  expectGrammar(events)
  expect(inShort(events)).toEqual([
    ...['processing_started', 'confirmation_check', 'iteration_started{1}', 'content_chunk', 'error'],
  ])
  expect(dataOf(events, 'error')).toMatchObject({ code: 'LLM_API_ERROR', recoverable: false })
})

test('[ST7] a tool that fails is said to have failed, and the run recovers', async () => {
  world().learn({ 试试: [{ calls: [{ name: 'Break', arguments: { why: '坏了' } }] }, { text: '没成功' }] })
  const events = await ask(world(), { message: '试试', sessionId: newSessionId() })
  expectGrammar(events)
  const { toolCallId } = dataOf(events, 'tool_call_started')
  expect(dataOf(events, 'tool_error')).toEqual({
    ...{ toolCallId, toolName: 'Break', error: 'it broke: 坏了', recoverable: true },
  })
  expect(events.some(({ type }) => type === 'tool_call_completed')).toBe(false)
  expect(events.find(({ type }) => type === 'iteration_completed')!.data['toolCallCount']).toBe(1)
  expect(dataOf(events, 'completed')).toMatchObject({ iterations: 2, toolCalls: 1 })
})

test.each([
  ['没有这个', { name: 'NoSuchTool', arguments: { a: 1 } }, { a: 1 }],
  ['读不懂', { name: 'Work', arguments: 'no json' }, {}],
  ['不合适', { name: 'Work', arguments: { wrong: 1 } }, { wrong: 1 }],
])('[S5.3] [SA27] %s: a call that cannot run begins and fails too', async (message, call, given) => {
  world().learn({ [message]: [{ calls: [call] }, { text: '算了' }] })
  const events = await ask(world(), { message, sessionId: newSessionId() })
  expectGrammar(events)
  expect(dataOf(events, 'tool_call_started')).toMatchObject({ toolName: call.name, arguments: given })
  expect(dataOf(events, 'tool_error')).toMatchObject({ toolName: call.name, recoverable: true })
})

test('[ST8] [S3.7] [S12] cancelled by the user', async () => {
  world().learn({ 慢慢说: [{ text: '正在', hang: 'after' }] })
  const sessionId = newSessionId()
  await using stream = await open(world(), { message: '慢慢说', sessionId, messageId: 'm8' })
  await stream.until('content_chunk')
  const foreign = await world().rest('POST', '/api/agent/chat/cancel', { body: { sessionId, messageId: 'm9' } })
  expect(foreign.status).toBe(404)
  const answer = await world().rest('POST', '/api/agent/chat/cancel', { body: { sessionId, messageId: 'm8' } })
  expect([answer.status, answer.body]).toEqual([202, { cancelled: true }])
  const events = await stream.all()
  expectGrammar(events)
  expect(events.slice(-2).map(({ type, data }) => [type, data])).toEqual([
    ['decision', { reason: 'Operation was cancelled by user', completed: false }],
    ['cancelled', { reason: 'user_cancelled', partialContent: '正在' }],
  ])
  const again = await world().rest('POST', '/api/agent/chat/cancel', { body: { sessionId } })
  expect([again.status, again.body]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
})
