import { describe, expect, test } from 'vitest'
import { agentSse } from '../src/adapters/agent-sse/agent-sse.ts'
import { agentSseCore } from '../src/adapters/agent-sse/agent-sse-core.ts'
import { atOnce, openChat, shape, until } from './chat.ts'
import { json, startStandIn, stream, trickle } from './stand-in.ts'
import { playAllWays } from './vectors.ts'

const event = (type: string, data: object, n = 1) => {
  const id = `evt_1704067200000_${n}`
  const body = JSON.stringify({ id, type, timestamp: 1704067200000, sessionId: 's', data })
  return type === 'heartbeat' ? `event: ${type}\ndata: ${body}\n\n` : `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`
}
const run = (...events: Array<[string, object]>) => events.map(([type, data], index) => event(type, data, index + 1))
const chunk = (content: string, isComplete = false): [string, object] => ['content_chunk', { content, isComplete }]
const iteration = (n: number): [string, object] => ['iteration_started', { iteration: n, maxIterations: 10 }]
const started: [string, object] = ['processing_started', { messageId: 'msg_1' }]
const decided: [string, object] = ['decision', { reason: 'Task completed successfully', completed: true }]
const end: [string, object] = ['completed', { messageId: 'msg_1', totalDuration: 870, iterations: 1, toolCalls: 0 }]
const call = { toolCallId: 'call_1', toolName: 'get_boss_stats' }

const T1 = run(
  started,
  ['knowledge_retrieved', { documentCount: 2, categories: ['boss'] }],
  ['confirmation_check', {}],
  iteration(1),
  chunk('你'),
  chunk('好！'),
  ['heartbeat', { serverTime: 1 }],
  chunk('', true),
  decided,
  end,
)
const T2 = run(
  started,
  iteration(1),
  chunk('Look: '),
  ['tool_call_started', { ...call, arguments: { world: 'main' } }],
  ['tool_call_completed', { ...call, success: true, duration: 120, result: { total: 5 } }],
  iteration(2),
  chunk('Five.', true),
  decided,
  end,
)
const confirmation = {
  type: 'confirm',
  message: '即将执行操作: delete_boss_config，请确认是否继续？',
  action: { type: 'delete_boss_config', target: 'all', params: { target: 'all' } },
  risk: 'high',
  preview: '工具: delete_boss_config',
  pendingConfirmation: {
    toolName: 'delete_boss_config',
    arguments: { target: 'all' },
    confirmationId: 'conf_9',
    toolCallId: 'call_1',
    expiresAt: '2024-01-01T00:15:01.500Z',
  },
}
const T3 = run(started, ['confirmation_check', {}], ['confirmation_required', confirmation])

describe('the event core', () => {
  test('[K20.5] [ST1] an answer without tools', async () => {
    expect(await playAllWays(agentSseCore('en'), T1.join(''))).toEqual({
      blocks: [
        ['Notice', { text: 'Used 2 documents', level: 'info' }],
        ['Markdown', '你好！'],
      ],
      context: { elapsedSeconds: 0.87 },
      conversation: 's',
      handle: 'msg_1',
      messageID: '',
      end: 'completed',
    })
  })

  test('[K20.5] [ST2] [ST7] tools join their results, and every iteration is a text of its own', async () => {
    expect((await playAllWays(agentSseCore(), T2.join(''))).blocks).toEqual([
      ['Markdown', 'Look: '],
      [
        'Tool',
        {
          id: 'call_1',
          name: 'get_boss_stats',
          title: 'get_boss_stats',
          input: { world: 'main' },
          output: { total: 5 },
          status: 'done',
          durationMs: 120,
        },
      ],
      ['Markdown', 'Five.'],
    ])
    const T7 = run(
      started,
      ['tool_call_started', { ...call, arguments: {} }],
      ['tool_error', { ...call, error: 'no', recoverable: true }],
      end,
    )
    expect((await playAllWays(agentSseCore(), T7.join(''))).blocks).toMatchObject([
      ['Tool', { status: 'error', error: 'no' }],
    ])
  })

  test('[K20.5] [ST3] a confirmation waits and ends the run', async () => {
    expect(await playAllWays(agentSseCore(), T3.join(''))).toMatchObject({
      blocks: [
        [
          'Confirmation',
          {
            confirmationId: 'conf_9',
            risk: 'high',
            state: 'waiting',
            arguments: { target: 'all' },
            expiresAt: '2024-01-01T00:15:01.500Z',
          },
        ],
      ],
      end: 'completed',
    })
  })

  test('[K20.5] [ST6] [ST8] [ST9] failure, cancellation and the iteration limit', async () => {
    const T6 = run(started, chunk('部分'), ['error', { code: 'LLM_API_ERROR', message: 'x', recoverable: false }])
    expect(await playAllWays(agentSseCore(), T6.join(''))).toMatchObject({
      blocks: [['Markdown', '部分']],
      error: { code: 'server', retryable: false, platformCode: 'LLM_API_ERROR' },
    })
    const T8 = run(started, chunk('正在'), ['cancelled', { reason: 'user_cancelled' }])
    expect(await playAllWays(agentSseCore(), T8.join(''))).toMatchObject({ end: 'stopped' })
    const T9 = run(started, ['max_iterations', { iterations: 2 }], end)
    expect((await playAllWays(agentSseCore('zh-CN'), T9.join(''))).blocks).toEqual([
      ['Notice', { text: '已达到最大步骤数，回答可能不完整', level: 'warning' }],
    ])
  })
})

describe('against a server', () => {
  test.each(T2.map((_, index) => index).slice(1))(
    '[agent-sse 18.9] cut after event %s, the run is resumed without a gap',
    async (cut) => {
      await using server = await startStandIn(({ headers }, response) => {
        const last = headers['last-event-id']
        if (last)
          return trickle(
            response,
            T2.slice(T2.findIndex((one) => one.startsWith(`id: ${String(last)}\n`)) + 1).join(''),
          )
        stream(response, T2.slice(0, cut).join(''))
        response.write(T2[cut]!.slice(0, 20), () => response.destroy())
      })
      using chat = openChat({ adapter: agentSse({ baseUrl: server.url, retryMs: 1 }), schedule: atOnce })
      const connections = new Set<string>()
      chat.subscribe(() => connections.add(chat.getSnapshot().connection))
      const answer = await chat.send('hi')
      expect(shape(answer)).toMatchObject([
        ['Markdown', 'Look: '],
        ['Tool', { status: 'done' }],
        ['Markdown', 'Five.'],
      ])
      expect(connections).toContain('reconnecting')
      const [first, second] = server.requests.map(({ body }) => body as Record<string, unknown>)
      expect(second).toMatchObject({ messageId: first?.['messageId'], sessionId: 's' })
      expect(server.requests).toHaveLength(2)
    },
  )

  test('[K18] after five attempts in vain the run fails with network', async () => {
    await using server = await startStandIn(({ headers }, response) => {
      if (headers['last-event-id']) return void response.destroy()
      stream(response)
      response.write(T2.slice(0, 3).join(''), () => response.destroy())
    })
    using chat = openChat({ adapter: agentSse({ baseUrl: server.url, retryMs: 1 }) })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'network' })
    expect(server.requests).toHaveLength(6)
    expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'failed', content: [{ content: 'Look: ' }] })
  })

  test('[K20.5] a confirmation is answered with confirm, and the run goes on in a new message', async () => {
    await using server = await startStandIn(({ body }, response) =>
      trickle(response, ((body as { confirm?: object }).confirm ? T2 : T3).join('')),
    )
    using chat = openChat({ adapter: agentSse({ baseUrl: server.url }) })
    await chat.send('删除所有 Boss 配置')
    await chat.answerConfirmation({ confirmationId: 'conf_9', approved: true })
    expect(server.requests[1]?.body).toMatchObject({
      message: '',
      sessionId: 's',
      confirm: { confirmationId: 'conf_9', approved: true },
    })
    const { messages } = chat.getSnapshot()
    expect(messages.map(({ role, status }) => [role.type, status])).toEqual([
      ['User', 'completed'],
      ['Assistant', 'completed'],
      ['Assistant', 'completed'],
    ])
    expect(messages[1]).toMatchObject({ content: [{ content: { state: 'answered', approved: true } }] })
    expect(shape(messages[2])).toMatchObject([
      ['Markdown', 'Look: '],
      ['Tool', {}],
      ['Markdown', 'Five.'],
    ])
  })

  test('[S12] stop cancels the run the stream named', async () => {
    await using server = await startStandIn(({ path }, response) => {
      if (path.endsWith('/cancel')) return json(response, 202, { cancelled: true })
      stream(response, run(started, chunk('正在')).join(''))
    })
    using chat = openChat({ adapter: agentSse({ baseUrl: server.url }) })
    const sent = chat.send('hi')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    await sent
    expect(server.requests.at(-1)?.body).toEqual({ sessionId: 's', messageId: 'msg_1' })
  })

  test.each([
    [409, 'SESSION_BUSY', { code: 'busy', retryable: true }],
    [429, 'RATE_LIMIT_EXCEEDED', { code: 'rate_limited' }],
    [400, 'INVALID_REQUEST', { code: 'server', retryable: false }],
    [401, 'UNAUTHORIZED', { code: 'auth' }],
  ])('[agent-sse 2.1] %s %s before the stream', async (status, code, error) => {
    await using server = await startStandIn((_, response) =>
      json(response, status, { error: { code, message: 'x', recoverable: false } }),
    )
    using chat = openChat({ adapter: agentSse({ baseUrl: server.url }) })
    await expect(chat.send('hi')).rejects.toMatchObject({ ...error, platformCode: code })
  })
})
