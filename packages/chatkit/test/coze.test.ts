import { describe, expect, test } from 'vitest'
import { coze } from '../src/adapters/coze/coze.ts'
import { cozeCore } from '../src/adapters/coze/coze-core.ts'
import { openChat, shape, until } from './chat.ts'
import { json, startStandIn, stream, trickle } from './stand-in.ts'
import { outcomeOf, play, playAllWays } from './vectors.ts'

const event = (name: string, data: unknown) => `event:${name}\ndata:${JSON.stringify(data)}\n\n`
const created = event('conversation.chat.created', {
  id: 'ch1',
  conversation_id: 'cv1',
  bot_id: 'b',
  status: 'created',
  last_error: { code: 0, msg: '' },
})
type Said = { id: string; type: string; content: string; [more: string]: unknown }
const message = (kind: 'delta' | 'completed', said: Said) =>
  event(`conversation.message.${kind}`, {
    conversation_id: 'cv1',
    chat_id: 'ch1',
    role: 'assistant',
    content_type: 'text',
    ...said,
  })
const completed = event('conversation.chat.completed', {
  id: 'ch1',
  conversation_id: 'cv1',
  status: 'completed',
  usage: { token_count: 42, output_count: 12, input_count: 30 },
})
const done = 'event:done\ndata:"[DONE]"\n\n'
const C1 = [
  created,
  message('delta', { id: 'm1', type: 'answer', content: '水在' }),
  message('delta', { id: 'm1', type: 'answer', content: ' **0 °C** 结冰' }),
  message('completed', { id: 'm1', type: 'answer', content: '水在 **0 °C** 结冰。' }),
  message('completed', { id: 'm2', type: 'verbose', content: '{"msg_type":"generate_answer_finish","data":""}' }),
  message('completed', { id: 'm3', type: 'follow_up', content: '海水呢？' }),
  completed,
  done,
]
const search = [
  message('completed', {
    id: 'f1',
    type: 'function_call',
    content: '{"name":"news-search","arguments":{"input_query":"river levels"},"plugin_id":7281192623887548473}',
  }),
  message('completed', {
    id: 't1',
    type: 'tool_response',
    content: JSON.stringify({
      content_type: 1,
      response_for_model: JSON.stringify({
        items: [{ title: 'Gauge report', url: 'https://example.org/g', summary: 'Rising', site_name: 'Hydro' }],
      }),
      type_for_model: 1,
    }),
  }),
]

describe('the event core', () => {
  test('[KC1] a plain answer; the completed text wins over the deltas', async () => {
    expect(await playAllWays(cozeCore(), C1.join(''))).toEqual({
      blocks: [['Markdown', '水在 **0 °C** 结冰。']],
      context: { relatedQuestions: ['海水呢？'], totalTokens: 42 },
      conversation: 'cv1',
      handle: 'ch1',
      messageID: 'm1',
      end: 'completed',
    })
    const early = outcomeOf(await play(cozeCore(), new TextEncoder().encode(C1.slice(0, 3).join(''))))
    expect(early.blocks).toEqual([['Markdown', '水在 **0 °C** 结冰']])
  })

  test('[KC2] a plugin search is a tool first and a search in the same place afterwards', async () => {
    const before = outcomeOf(await play(cozeCore(), new TextEncoder().encode(created + search[0])))
    expect(before.blocks).toMatchObject([['Tool', { name: 'news-search', status: 'pending' }]])
    const text = [
      created,
      ...search,
      message('completed', { id: 'm1', type: 'answer', content: 'So.' }),
      completed,
      done,
    ].join('')
    expect((await playAllWays(cozeCore(), text)).blocks).toEqual([
      [
        'WebSearch',
        {
          input: 'river levels',
          results: [
            { title: 'Gauge report', link: 'https://example.org/g', content: 'Rising', media: 'Hydro', icon: '' },
          ],
        },
      ],
      ['Markdown', 'So.'],
    ])
  })

  test('[KC3] a failure in the stream keeps what was shown and names the platform’s code', async () => {
    const failed = event('conversation.chat.failed', {
      id: 'ch1',
      conversation_id: 'cv1',
      status: 'failed',
      last_error: { code: 5000, msg: 'internal' },
    })
    const text = created + message('delta', { id: 'm1', type: 'answer', content: 'Half' }) + failed
    expect(await playAllWays(cozeCore(), text)).toMatchObject({
      blocks: [['Markdown', 'Half']],
      error: { code: 'server', platformCode: '5000' },
    })
    const bare = await playAllWays(cozeCore(), created + event('error', { code: 4013, msg: 'x' }))
    expect(bare.error).toMatchObject({ code: 'rate_limited', platformCode: '4013' })
  })

  test('[KC5] a call whose content is broken is shown as it came, and the run goes on', async () => {
    const text = [
      created,
      message('completed', { id: 'f1', type: 'function_call', content: '{"name":"x","arguments":{"a":1' }),
      completed,
      done,
    ]
    expect(await playAllWays(cozeCore(), text.join(''))).toMatchObject({
      blocks: [['Tool', { name: 'tool', input: '{"name":"x","arguments":{"a":1' }]],
      end: 'completed',
    })
  })

  test('[KC6] two answers are two blocks', async () => {
    const answer = (id: string, text: string) =>
      message('delta', { id, type: 'answer', content: text }) +
      message('completed', { id, type: 'answer', content: text })
    const text = created + answer('m1', 'One') + answer('m5', 'Two') + completed + done
    expect((await playAllWays(cozeCore(), text)).blocks).toEqual([
      ['Markdown', 'One'],
      ['Markdown', 'Two'],
    ])
  })

  test('[KC7] a bare end event ends the run; without any end the answer was cut', async () => {
    const text = created + message('completed', { id: 'm1', type: 'answer', content: 'x' })
    expect(await playAllWays(cozeCore(), `${text}${completed}event: conversation.stream.done\n\n`)).toMatchObject({
      end: 'completed',
    })
    expect(await playAllWays(cozeCore(), text + completed)).toMatchObject({ end: 'completed' })
    expect(await playAllWays(cozeCore(), text)).toMatchObject({ error: { code: 'network' } })
  })

  test('[K20.1.3] reasoning, cards, files, knowledge and results without a call have their blocks', async () => {
    const parts = JSON.stringify([
      { type: 'text', text: 'See' },
      { type: 'image', file_url: 'https://x/y.png' },
    ])
    const text = [
      created,
      message('delta', { id: 'm1', type: 'answer', content: '', reasoning_content: 'hm' }),
      message('completed', { id: 'k', type: 'knowledge', content: 'A fact' }),
      message('completed', { id: 't', type: 'tool_output', content: 'plain' }),
      message('completed', { id: 'c', type: 'answer', content: '<b>', content_type: 'card' }),
      message('completed', { id: 'o', type: 'answer', content: parts, content_type: 'object_string' }),
      completed,
    ].join('')
    expect((await playAllWays(cozeCore(), text)).blocks).toMatchObject([
      ['Reasoning', { text: 'hm' }],
      ['Sources', [{ content: 'A fact' }]],
      ['Tool', { name: 'tool', output: 'plain', status: 'done' }],
      ['Tool', { name: 'card', input: '<b>' }],
      ['Markdown', 'See'],
      ['File', { url: 'https://x/y.png' }],
    ])
  })
})

const ok = (data: unknown) => ({ code: 0, msg: '', data, detail: { logid: 'L' } })

describe('against a server', () => {
  test('[K12.2] a thumb is given, changed and taken back, with a comment where one was written', async () => {
    await using server = await startStandIn((_request, response) => json(response, 200, ok({})))
    using chat = openChat({ adapter: coze({ botId: 'b1', baseUrl: server.url }), conversationID: 'c1' })
    for (const value of ['like', 'dislike', null] as const) await chat.sendFeedback('m1', value)
    await chat.sendFeedback('m1', 'dislike', 'wrong')
    const path = '/v1/conversations/c1/messages/m1/feedback'
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', path, { feedback_type: 'like' }],
      ['POST', path, { feedback_type: 'unlike' }],
      ['DELETE', path, expect.anything()],
      ['POST', path, { feedback_type: 'unlike', comment: 'wrong' }],
    ])
  })

  test('[K20.1] a conversation is created, the question asked with its context, and the answer shown', async () => {
    await using server = await startStandIn(({ path }, response) => {
      if (path.startsWith('/v1/bots/b1'))
        return json(response, 200, ok({ onboarding_info: { prologue: 'Hi {{user_name}}!' } }))
      if (path === '/v1/conversation/create') return json(response, 200, ok({ id: 'cv9007199254740993' }))
      return trickle(response, C1.join(''))
    })
    using chat = openChat({ adapter: coze({ botId: 'b1', userId: 'u', baseUrl: server.url }), token: 'Bearer t' })
    await chat.initialise()
    expect(chat.getSnapshot().onboarding.info).toEqual({ prologue: 'Hi!', predefinedQuestions: [] })
    const answer = await chat.send('q'.repeat(120), { context: { title: 'T', data: [1] } })
    expect(shape(answer)).toEqual([['Markdown', '水在 **0 °C** 结冰。']])
    const [bot, create, ask] = server.requests
    expect(bot?.headers.authorization).toBe('Bearer t')
    expect(create?.body).toEqual({ bot_id: 'b1', name: 'q'.repeat(100) })
    expect(ask?.path).toBe('/v3/chat?conversation_id=cv9007199254740993')
    expect(ask?.body).toMatchObject({
      bot_id: 'b1',
      user_id: 'u',
      stream: true,
      auto_save_history: true,
      additional_messages: [
        {
          role: 'user',
          type: 'question',
          content_type: 'text',
          content: `【上下文: T】\n[\n  1\n]\n\n${'q'.repeat(120)}`,
        },
      ],
    })
  })

  test('[KC4] an expired token as status 200 is refreshed once; the same again gives up', async () => {
    const expired = { code: 4100, msg: 'authentication is invalid', detail: { logid: 'L1' } }
    await using server = await startStandIn((_, response) => json(response, 200, expired))
    let refreshes = 0
    const refreshToken = async () => `fresh${(refreshes += 1)}`
    const adapter = { ...coze({ botId: 'b', baseUrl: server.url }), createConversation: async () => 'cv' }
    using chat = openChat({ adapter, token: 'old', refreshToken })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'auth' })
    expect(server.requests).toHaveLength(2)
    expect(refreshes).toBe(1)
    expect(chat.getSnapshot().messages.map(({ role }) => role.type)).toEqual(['User', 'Assistant'])
  })

  test.each([
    [200, { code: 4016, msg: 'busy' }, { code: 'busy' }],
    [200, { code: 4000, msg: 'bad' }, { code: 'server', retryable: false }],
    [200, { code: 4101, msg: 'no permission' }, { code: 'forbidden' }],
    [200, { code: 4200, msg: 'gone', detail: { logid: 'L7' } }, { code: 'not_found', requestID: 'L7' }],
    [429, {}, { code: 'rate_limited' }],
  ])('[K20.1.5] status %s with %j', async (status, body, error) => {
    await using server = await startStandIn((_, response) => json(response, status, body))
    const adapter = { ...coze({ botId: 'b', baseUrl: server.url }), createConversation: async () => 'cv' }
    using chat = openChat({ adapter })
    await expect(chat.send('hi')).rejects.toMatchObject(error)
  })

  test('[K22.14] stop cancels the chat the stream named', async () => {
    await using server = await startStandIn(({ path }, response) => {
      if (path.includes('cancel')) return json(response, 200, ok({}))
      stream(response, created + message('delta', { id: 'm1', type: 'answer', content: 'Half' }))
    })
    const adapter = { ...coze({ botId: 'b', baseUrl: server.url }), createConversation: async () => '' }
    using chat = openChat({ adapter })
    const sent = chat.send('hi')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    expect(await sent).toMatchObject({ status: 'stopped', content: [{ content: 'Half' }] })
    expect(server.requests.at(-1)).toMatchObject({
      path: '/v3/chat/cancel',
      body: { conversation_id: 'cv1', chat_id: 'ch1' },
    })
  })

  test('[K20.1.1] history is read page by page, oldest first', async () => {
    const entry = (id: string, role: string) => ({
      id,
      role,
      type: role === 'user' ? 'question' : 'answer',
      content: id,
      content_type: 'text',
    })
    await using server = await startStandIn(({ path, body }, response) => {
      if (path.startsWith('/v1/conversations?'))
        return json(response, 200, ok({ conversations: [{ id: 'cv1', name: 'N', created_at: 1, updated_at: 2 }] }))
      const isSecond = (body as { after_id?: string }).after_id === 'b'
      const data = isSecond ? [entry('c', 'user')] : [entry('a', 'user'), entry('b', 'assistant')]
      json(response, 200, { code: 0, data, last_id: isSecond ? 'c' : 'b', has_more: !isSecond })
    })
    using chat = openChat({ adapter: coze({ botId: 'b', baseUrl: server.url }) })
    expect(await chat.getConversations()).toMatchObject([{ conversationID: 'cv1', title: 'N' }])
    await chat.loadConversation('cv1')
    expect(chat.getSnapshot()).toMatchObject({ conversationID: 'cv1', status: 'idle' })
    expect(chat.getSnapshot().messages.map((one) => [one.role.type, one.messageID, ...shape(one)])).toEqual([
      ['User', 'a', ['Text', 'a']],
      ['Assistant', 'b', ['Markdown', 'b']],
      ['User', 'c', ['Text', 'c']],
    ])
  })

  test('[K20.1.3] a registered client tool runs and the chat goes on; files travel beside the text', async () => {
    const action = event('conversation.chat.requires_action', {
      id: 'ch1',
      conversation_id: 'cv1',
      required_action: {
        submit_tool_outputs: {
          tool_calls: [{ id: 'k', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
      },
    })
    await using server = await startStandIn(({ path }, response) => {
      if (path === '/v1/files/upload') return json(response, 200, ok({ id: 'file1' }))
      return trickle(response, path.includes('submit_tool_outputs') ? C1.join('') : created + action + done)
    })
    const adapter = coze({ botId: 'b', baseUrl: server.url, clientTools: { now: { run: () => 'noon' } } })
    using chat = openChat({ adapter: { ...adapter, createConversation: async () => 'cv1' } })
    await chat.addAttachment(new File(['x'], 'a.png', { type: 'image/png' }))
    const answer = await chat.send('hi', { fromInput: true })
    expect(shape(answer)).toMatchObject([
      ['Tool', { status: 'done', output: 'noon' }],
      ['Markdown', '水在 **0 °C** 结冰。'],
    ])
    const [, ask, submit] = server.requests
    expect(ask?.body).toMatchObject({
      additional_messages: [
        { content_type: 'object_string', content: '[{"type":"text","text":"hi"},{"type":"image","file_id":"file1"}]' },
      ],
    })
    expect(submit).toMatchObject({
      path: '/v3/chat/submit_tool_outputs?conversation_id=cv1&chat_id=ch1',
      body: { stream: true, tool_outputs: [{ tool_call_id: 'k', output: 'noon' }] },
    })
  })

  test('[K20.1.6] the bare end event ends the run although the connection stays open', async () => {
    await using server = await startStandIn((_, response) => {
      stream(
        response,
        `${created}${message('completed', { id: 'm1', type: 'answer', content: 'x' })}${completed}event: conversation.stream.done\n\n`,
      )
    })
    const adapter = { ...coze({ botId: 'b', baseUrl: server.url }), createConversation: async () => 'cv' }
    using chat = openChat({ adapter })
    expect(await chat.send('hi')).toMatchObject({ status: 'completed' })
  })

  test('[K20.1.5] the request id is also taken from the header', async () => {
    await using server = await startStandIn((_, response) => {
      response.setHeader('x-tt-logid', 'L9')
      json(response, 200, { code: 4000, msg: 'bad' })
    })
    const adapter = { ...coze({ botId: 'b', baseUrl: server.url }), createConversation: async () => 'cv' }
    using chat = openChat({ adapter })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'server', requestID: 'L9' })
  })
})
