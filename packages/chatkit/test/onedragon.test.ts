import { describe, expect, test } from 'vitest'
import { onedragon } from '../src/adapters/onedragon/onedragon.ts'
import { onedragonCore } from '../src/adapters/onedragon/onedragon-core.ts'
import { openChat, shape, until } from './chat.ts'
import { frames, json, startStandIn, stream, trickle } from './stand-in.ts'
import { playAllWays } from './vectors.ts'

const frame = (type: string, message: object = {}) => ({ session_id: 's1', type, message })
type Said = { id: string; content: object[]; role: string }
const said = (kind: 'update' | 'completed', message: Said) =>
  frame(`message_${kind}`, { name: 'OneDragon', ...message, metadata: null, timestamp: '2025-09-15 18:17:51.641' })
const message = (kind: 'update' | 'completed', id: string, content: object[]) =>
  said(kind, { id, content, role: 'assistant' })
const toolMessage = (kind: 'update' | 'completed', id: string, content: object[]) =>
  said(kind, { id, content, role: 'system' })
const text = (text: string) => ({ type: 'text', text })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const result = (id: string, name: string, output: string) => ({
  type: 'tool_result',
  id,
  name,
  output: [text(output)],
})
const status = frame('status', { hint: 'connected' })
const completed = frame('response_completed')

const traces = {
  text: [
    status,
    message('update', 'A', [text('你好')]),
    message('update', 'A', [text('你好，世界')]),
    message('completed', 'A', [text('你好，世界！')]),
    completed,
  ],
  tools: [
    status,
    message('update', 'B1', [text('先查代码')]),
    message('update', 'B1', [text('先查代码'), use('c1', 'lookup', { name: '东' })]),
    message('completed', 'B1', [
      text('先查代码'),
      use('c1', 'lookup', { name: '东财' }),
      use('c2', 'lookup', { name: '同花顺' }),
    ]),
    toolMessage('update', 'B2', [result('c1', 'lookup', '300059')]),
    toolMessage('completed', 'B2', [
      result('c1', 'lookup', '300059'),
      { ...result('c2', 'lookup', 'Error: no'), is_error: true },
    ]),
    message('completed', 'A', [{ type: 'thinking', thinking: 'hm' }, text('好')]),
    completed,
  ],
  failure: [
    status,
    message('update', 'A', [text('部分')]),
    message('completed', 'A', [text('部分')]),
    frame('error', { hint: 'Model rate limit reached(429)' }),
    completed,
  ],
}

describe('the event core', () => {
  test('[K20.5] [O9] complete contents replace each other', async () => {
    expect(await playAllWays(onedragonCore(), frames(...traces.text))).toMatchObject({
      blocks: [['Markdown', '你好，世界！']],
      conversation: 's1',
      end: 'completed',
    })
  })

  test('[K20.5] [O8] calls and results of different messages join, in order of first appearance', async () => {
    expect((await playAllWays(onedragonCore(), frames(...traces.tools))).blocks).toEqual([
      ['Markdown', '先查代码'],
      [
        'Tool',
        { id: 'c1', name: 'lookup', title: 'lookup', input: { name: '东财' }, output: '300059', status: 'done' },
      ],
      [
        'Tool',
        {
          id: 'c2',
          name: 'lookup',
          title: 'lookup',
          input: { name: '同花顺' },
          output: 'Error: no',
          status: 'error',
          error: 'Error: no',
        },
      ],
      ['Reasoning', { text: 'hm' }],
      ['Markdown', '好'],
    ])
  })

  test('[O16.4] replaying only the completed frames gives the same items', async () => {
    for (const trace of Object.values(traces)) {
      const whole = await playAllWays(onedragonCore(), frames(...trace))
      const finals = trace.filter(({ type }) => type !== 'message_update')
      expect((await playAllWays(onedragonCore(), frames(...finals))).blocks).toEqual(whole.blocks)
    }
  })

  test('[O6.1] [O6.4] a bare string is a text, and a block of an unknown kind keeps its place and shows nothing', async () => {
    const unknown = { type: 'hologram', text: 'x' }
    const trace = [
      message('update', 'A', [unknown, text('先')]),
      message('completed', 'A', [unknown, text('先查'), unknown, use('c1', 'lookup', {})]),
      toolMessage('completed', 'B', [unknown, { type: 'tool_result', id: 'c1', name: 'lookup', output: '300059' }]),
      completed,
    ]
    expect((await playAllWays(onedragonCore(), frames(...trace))).blocks).toMatchObject([
      ['Markdown', '先查'],
      ['Tool', { status: 'done', output: '300059' }],
    ])
  })

  test('[O7] [OB8] generate_response is text, keyed like text, and its result is not shown', async () => {
    const say = (response: string) => [use('g', 'generate_response', { response })]
    const trace = [
      message('update', 'A', say('你')),
      message('completed', 'A', say('你好')),
      toolMessage('completed', 'B', [result('g', 'generate_response', 'ok')]),
      completed,
    ]
    expect((await playAllWays(onedragonCore(), frames(...trace))).blocks).toEqual([['Markdown', '你好']])
  })

  test('[K20.5] an error carries its hint for the user; a stream that just ends was cut', async () => {
    expect(await playAllWays(onedragonCore(), frames(...traces.failure))).toMatchObject({
      blocks: [['Markdown', '部分']],
      error: { code: 'rate_limited', userMessage: 'Model rate limit reached(429)' },
    })
    expect(await playAllWays(onedragonCore(), frames(...traces.text.slice(0, 3)))).toMatchObject({
      error: { code: 'network' },
    })
  })
})

const shows = (id: string, output = '{"analyse_id":1}') => [
  message('completed', `${id}use`, [use(id, 'display_analyse_by_code_result', { analyse_id: 1 })]),
  toolMessage('completed', `${id}result`, [result(id, 'display_analyse_by_code_result', output)]),
]
const display = (output: string) => [
  status,
  ...shows('c2', output),
  message('completed', 'M5', [text('如图')]),
  completed,
]

describe('against a server', () => {
  test('[O13.3] [O13.3.2] [O13.3.3] each chart is an item of its own behind its tool, while the answer goes on', async () => {
    const list = [{ title: 'one' }, { title: 'two' }]
    await using server = await startStandIn(({ path }, response) =>
      path === '/od/chat/stream'
        ? trickle(response, frames(...display('{"analyse_id":1}')))
        : json(response, 200, { session_id: 's1', analyse_id: 1, echarts_list: list, result: {} }),
    )
    using chat = openChat({ adapter: onedragon({ baseUrl: `${server.url}/od` }) })
    const answer = await chat.send('画图')
    expect(shape(answer)).toMatchObject([
      ['Tool', { status: 'done' }],
      ['Chart', { options: [{ title: 'one' }] }],
      ['Chart', { options: [{ title: 'two' }] }],
      ['Markdown', '如图'],
    ])
    expect(answer?.content.slice(1, 3).map(({ key }) => key)).toEqual(['chart_1_0', 'chart_1_1'])
    expect(server.requests.map(({ body }) => body)).toEqual([
      { session_id: null, user_input: '画图' },
      { session_id: 's1', analyse_id: 1 },
    ])
    await chat.send('再来')
    expect(server.requests[2]?.body).toMatchObject({ session_id: 's1' })
  })

  test('[O13.3.3] an analysis that is shown again has its charts renewed where they are', async () => {
    const lists = [[{ title: 'a' }, { title: 'b' }], [{ title: 'c' }]]
    const fetched = Promise.withResolvers<void>()
    await using server = await startStandIn(async ({ path }, response) => {
      if (path !== '/chat/stream') {
        json(response, 200, { echarts_list: lists.shift() })
        return fetched.resolve()
      }
      stream(response, frames(status, ...shows('c1')))
      await fetched.promise
      response.end(frames(...shows('c2'), message('completed', 'M5', [text('如图')]), completed))
    })
    using chat = openChat({ adapter: onedragon({ baseUrl: server.url }) })
    expect(shape(await chat.send('画图'))).toMatchObject([
      ['Tool', { status: 'done' }],
      ['Chart', { options: [{ title: 'c' }] }],
      ['Chart', { options: [] }],
      ['Tool', { status: 'done' }],
      ['Markdown', '如图'],
    ])
  })

  test.each([
    ['the text names no analysis', '{"analyse_i"\': 1}', 200],
    ['the result is not there', '{"analyse_id":1}', 404],
  ])('[O13.3.4] [OB6] when %s, one line says so and the answer is complete', async (_, output, code) => {
    await using server = await startStandIn(({ path }, response) =>
      path === '/chat/stream' ? trickle(response, frames(...display(output))) : json(response, code, { detail: 'x' }),
    )
    using chat = openChat({ adapter: onedragon({ baseUrl: server.url }) })
    const answer = await chat.send('画图')
    expect(answer?.status).toBe('completed')
    expect(shape(answer)).toMatchObject([
      ['Tool', {}],
      ['Notice', { level: 'warning' }],
      ['Markdown', '如图'],
    ])
  })

  test('[O12.2] stop closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await startStandIn((_, response) => {
      response.on('close', () => closed.resolve())
      stream(response, frames(...traces.text.slice(0, 2)))
    })
    using chat = openChat({ adapter: onedragon({ baseUrl: server.url }) })
    const sent = chat.send('hi')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    await closed.promise
    expect(await sent).toMatchObject({ status: 'stopped', content: [{ content: '你好' }] })
  })

  test.each([
    [409, 'Session is busy: s1', { code: 'busy', retryable: true }],
    [422, 'user_input', { code: 'server', retryable: false }],
    [404, 'Session not found: s1', { code: 'not_found', isConversationGone: true }],
  ])('[O11.1] [OB16] %s before the stream', async (code, detail, error) => {
    await using server = await startStandIn((_, response) => json(response, code, { detail, message: detail }))
    using chat = openChat({ adapter: onedragon({ baseUrl: server.url }) })
    await expect(chat.send('hi')).rejects.toMatchObject(error)
  })
})
