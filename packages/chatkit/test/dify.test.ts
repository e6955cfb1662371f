import { describe, expect, test } from 'vitest'
import { dify } from '../src/adapters/dify/dify.ts'
import { difyCore } from '../src/adapters/dify/dify-core.ts'
import { openChat, shape, until } from './chat.ts'
import { frames, json, startStandIn, stream, trickle } from './stand-in.ts'
import { playAllWays } from './vectors.ts'

const shared = {
  conversation_id: '45701982-8118-4bc5-8e9b-64562b4555f2',
  message_id: 'q1',
  created_at: 1705395332,
  task_id: 't1',
}
const frame = (event: string, fields: object = {}) => ({ event, ...shared, id: 'q1', ...fields })
const end = frame('message_end', { metadata: { usage: { total_tokens: 50 } } })
const D1 =
  frames(frame('message', { answer: 'The tide ' })) +
  'event: ping\n\n' +
  frames(
    frame('message', { answer: 'turns at six.' }),
    frame('message_end', {
      metadata: {
        usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29, latency: 1.5 },
        retriever_resources: [
          {
            position: 1,
            dataset_name: 'Harbour',
            document_name: 'tides.pdf',
            segment_id: 's1',
            score: 0.9,
            content: '06:00 high',
          },
        ],
      },
      files: [],
    }),
  )
const thought = (id: string, position: number, fields: object) =>
  frame('agent_thought', { id, position, thought: '', observation: '', tool: '', tool_input: '', ...fields })
const searching = {
  thought: 'Let me look.',
  tool: 'web_search',
  tool_labels: { web_search: { en_US: 'Web search' } },
  tool_input: '{"query":"tide table"}',
}
const hits = '[{"title":"Tide table","url":"https://example.org/t","content":"six"}]'
const D2 = frames(
  thought('a1', 1, {}),
  frame('agent_message', { id: 'q2', answer: 'Let me look.' }),
  thought('a1', 1, searching),
  thought('a1', 1, { ...searching, observation: hits }),
  thought('a2', 2, {}),
  frame('agent_message', { id: 'q2', answer: 'At six.' }),
  thought('a2', 2, { thought: 'At six.' }),
  end,
)

describe('the event core', () => {
  test('[KD1] a chat with sources', async () => {
    expect(await playAllWays(difyCore(), D1)).toEqual({
      blocks: [
        ['Markdown', 'The tide turns at six.'],
        ['Sources', [{ title: 'tides.pdf', content: '06:00 high', media: 'Harbour', link: '', icon: '' }]],
      ],
      context: { totalTokens: 29, elapsedSeconds: 1.5 },
      conversation: shared.conversation_id,
      handle: 't1',
      messageID: 'q1',
      end: 'completed',
    })
  })

  test('[KD2] an agent’s steps: no text appears twice', async () => {
    expect((await playAllWays(difyCore(), D2)).blocks).toEqual([
      ['Markdown', 'Let me look.'],
      [
        'WebSearch',
        {
          input: 'tide table',
          results: [
            { title: 'Tide table', link: 'https://example.org/t', content: 'six', media: 'example.org', icon: '' },
          ],
        },
      ],
      ['Markdown', 'At six.'],
    ])
  })

  test('[K20.2.3] a thought is shown when nothing streamed for its step, and not again when it does after all', async () => {
    const text = frames(thought('a1', 1, { thought: 'Whole.' }), frame('agent_message', { answer: 'Whole.' }), end)
    expect((await playAllWays(difyCore(), text)).blocks).toEqual([['Markdown', 'Whole.']])
    const other = frames(
      frame('agent_message', { answer: 'Streamed.' }),
      thought('a1', 1, { thought: 'Streamed, edited' }),
      end,
    )
    expect((await playAllWays(difyCore(), other)).blocks).toEqual([['Markdown', 'Streamed.']])
    const quiet = frames(thought('a1', 1, { thought: 'One.' }), thought('a2', 2, { thought: 'Two.' }), end)
    expect((await playAllWays(difyCore(), quiet)).blocks).toEqual([
      ['Markdown', 'One.'],
      ['Markdown', 'Two.'],
    ])
  })

  test('[KD3] moderation replaces the answer', async () => {
    const text = frames(frame('message', { answer: 'bad ' }), frame('message_replace', { answer: 'Removed.' }), end)
    expect((await playAllWays(difyCore(), text)).blocks).toEqual([['Markdown', 'Removed.']])
  })

  test('[KD4] an error in the stream keeps the partial text and is not retryable', async () => {
    const error = {
      event: 'error',
      task_id: 't1',
      message_id: 'q1',
      status: 400,
      code: 'provider_quota_exceeded',
      message: '…',
    }
    expect(await playAllWays(difyCore(), frames(frame('message', { answer: 'The ti' }), error))).toMatchObject({
      blocks: [['Markdown', 'The ti']],
      error: { code: 'server', retryable: false, platformCode: 'provider_quota_exceeded' },
    })
  })

  test('[KD6] two tools in one thought are two blocks', async () => {
    const two = { tool: '["a","b"]', tool_input: '["{\\"x\\":1}","{\\"y\\":2}"]', observation: '["1","2"]' }
    expect((await playAllWays(difyCore(), frames(thought('a1', 1, two), end))).blocks).toMatchObject([
      ['Tool', { name: 'a', input: { x: 1 }, output: '1', status: 'done' }],
      ['Tool', { name: 'b', input: { y: 2 }, output: '2', status: 'done' }],
    ])
    const joined = { tool: 'a;b', tool_input: '{"a":{"x":1},"b":{"y":2}}' }
    expect((await playAllWays(difyCore(), frames(thought('a1', 1, joined), end))).blocks).toMatchObject([
      ['Tool', { name: 'a', input: { x: 1 }, status: 'pending' }],
      ['Tool', { name: 'b', input: { y: 2 }, status: 'pending' }],
    ])
  })

  test('[K20.2.3] a workflow that succeeded completes without message_end; a failed one fails; a stopped one stops', async () => {
    const finished = (status: string) =>
      frames(
        frame('message', { answer: 'x' }),
        frame('workflow_finished', { data: { status, total_tokens: 3, elapsed_time: 2 } }),
      )
    expect(await playAllWays(difyCore(), finished('succeeded'))).toMatchObject({
      end: 'completed',
      context: { totalTokens: 3, elapsedSeconds: 2 },
    })
    expect(await playAllWays(difyCore(), finished('failed'))).toMatchObject({ error: { code: 'server' } })
    expect(await playAllWays(difyCore(), finished('stopped'))).toMatchObject({ end: 'stopped' })
    expect(await playAllWays(difyCore(), frames(frame('message', { answer: 'x' })))).toMatchObject({
      error: { code: 'network' },
    })
  })

  test('[K20.2.3] nodes are shown on request only; reasoning and files have their blocks', async () => {
    const node = { id: 'n1', node_type: 'tool', title: 'Fetch', status: 'succeeded', elapsed_time: 0.5 }
    const text = frames(
      frame('node_started', { data: { ...node, status: undefined } }),
      frame('node_finished', { data: node }),
      frame('node_finished', { data: { ...node, id: 'n2', node_type: 'llm' } }),
      frame('reasoning_chunk', { data: { reasoning: 'hm', node_id: 'n', is_final: true } }),
      frame('message_file', { id: 'f', type: 'image', belongs_to: 'assistant', url: 'https://x/y.png' }),
      end,
    )
    const plain = [
      ['Reasoning', { text: 'hm' }],
      ['File', { name: 'image', url: 'https://x/y.png', mediaType: 'image/*' }],
    ]
    expect((await playAllWays(difyCore(), text)).blocks).toEqual(plain)
    expect((await playAllWays(difyCore({ showWorkflow: true }), text)).blocks).toEqual([
      ['Tool', { id: 'n1', name: 'tool', title: 'Fetch', status: 'done', durationMs: 500 }],
      ...plain,
    ])
  })
})

describe('against a server', () => {
  test('[K23.2] the id learned from the stream is used by the next message', async () => {
    await using server = await startStandIn(({ path }, response) => {
      if (path.includes('suggested')) return json(response, 200, { result: 'success', data: ['And then?'] })
      if (path.includes('parameters'))
        return json(response, 200, { suggested_questions_after_answer: { enabled: true } })
      return trickle(response, D1)
    })
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: `${server.url}/v1`, suggestedQuestions: true }) })
    const answer = await chat.send('one', { context: { title: 'T', data: null } })
    expect(answer).toMatchObject({ messageID: 'q1', messageContext: { relatedQuestions: ['And then?'] } })
    expect(chat.getSnapshot().conversationID).toBe(shared.conversation_id)
    await chat.send('two')
    const asked = server.requests.filter(({ path }) => path === '/v1/chat-messages').map(({ body }) => body)
    expect(asked).toMatchObject([
      { query: '【上下文: T】\nnull\n\none', user: 'u', response_mode: 'streaming', inputs: {} },
      { conversation_id: shared.conversation_id },
    ])
    expect(asked[0]).not.toHaveProperty('conversation_id')
  })

  test.each([
    ['on', { enabled: true }, undefined, ['And then?']],
    ['on, but not wanted', { enabled: true }, false, undefined],
    ['off', { enabled: false }, undefined, undefined],
    ['off, though wanted', { enabled: false }, true, undefined],
    ['not there', undefined, undefined, undefined],
  ])(
    '[K20.2.1] suggestions are asked for only where the app has them on: %s',
    async (...[, enabled, wanted, expected]) => {
      await using server = await startStandIn(({ path }, response) => {
        if (path.includes('suggested')) return json(response, 200, { result: 'success', data: ['And then?'] })
        if (!path.includes('parameters')) return trickle(response, D1)
        return json(response, 200, { opening_statement: 'Hi', suggested_questions_after_answer: enabled })
      })
      const own = wanted === undefined ? {} : { suggestedQuestions: wanted }
      using chat = openChat({ adapter: dify({ user: 'u', baseUrl: `${server.url}/v1`, ...own }) })
      await chat.initialise()
      await until(chat, ({ onboarding }) => onboarding.info?.prologue === 'Hi')
      const answer = await chat.send('one')
      expect(answer?.messageContext?.relatedQuestions).toEqual(expected)
      expect(server.requests.some(({ path }) => path.includes('/suggested'))).toBe(expected !== undefined)
      expect(server.requests.filter(({ path }) => path.includes('/parameters'))).toHaveLength(1)
    },
  )

  test('[KD5] 401 is refreshed once and repeated once', async () => {
    await using server = await startStandIn(({ headers }, response) =>
      headers.authorization === 'Bearer new'
        ? trickle(response, D1)
        : json(response, 401, { code: 'unauthorized', message: 'Access token is invalid', status: 401 }),
    )
    using chat = openChat({
      adapter: dify({ user: 'u', baseUrl: server.url }),
      token: 'old',
      refreshToken: async () => 'new',
    })
    await chat.send('hi')
    expect(server.requests).toHaveLength(2)
  })

  test('[K20.2.4] a conversation that is gone fails once; the next message starts a new one', async () => {
    let isGone = false
    await using server = await startStandIn((_, response) =>
      isGone ? json(response, 404, { code: 'not_found', message: 'x', status: 404 }) : trickle(response, D1),
    )
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: server.url }) })
    await chat.send('one')
    isGone = true
    await expect(chat.send('two')).rejects.toMatchObject({ code: 'not_found' })
    isGone = false
    await chat.send('three')
    expect(server.requests[2]?.body).not.toHaveProperty('conversation_id')
  })

  test('[K20.2.1] stop names the task', async () => {
    await using server = await startStandIn(({ path }, response) => {
      if (path.endsWith('/stop')) return json(response, 200, { result: 'success' })
      stream(response, frames(frame('message', { answer: 'Half' })))
    })
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: server.url }) })
    const sent = chat.send('hi')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    await sent
    expect(server.requests.at(-1)).toMatchObject({ path: '/chat-messages/t1/stop', body: { user: 'u' } })
  })

  test('[K12.2] a thumb is given with its comment, and taken back', async () => {
    await using server = await startStandIn((_request, response) => json(response, 200, { result: 'success' }))
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: server.url }), conversationID: 'cv' })
    await chat.sendFeedback('m/1', 'like')
    await chat.sendFeedback('m/1', 'dislike', 'too short')
    await chat.sendFeedback('m/1', null)
    const path = '/messages/m%2F1/feedbacks'
    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      [path, { rating: 'like', user: 'u' }],
      [path, { rating: 'dislike', user: 'u', content: 'too short' }],
      [path, { rating: null, user: 'u' }],
    ])
  })

  test('[K20.2.3] history builds the same blocks as the stream', async () => {
    const agent_thoughts = [
      { id: 'a2', position: 2, thought: 'At six.', tool: '' },
      { id: 'a1', position: 1, ...searching, observation: hits },
    ]
    const entry = (id: string, more: object) => ({
      id,
      query: `q ${id}`,
      answer: 'At six.',
      created_at: 5,
      feedback: null,
      ...more,
    })
    await using server = await startStandIn(({ path }, response) => {
      const isOlder = path.includes('first_id=b')
      const data = isOlder ? [entry('a', { feedback: { rating: 'like' } })] : [entry('b', { agent_thoughts })]
      json(response, 200, { limit: 100, has_more: !isOlder, data })
    })
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: server.url }), conversationID: 'cv' })
    await chat.initialise()
    const { messages } = chat.getSnapshot()
    expect(messages.map(({ messageID }) => messageID)).toEqual(['a:query', 'a', 'b:query', 'b'])
    expect(messages[1]).toMatchObject({ messageContext: { feedback: 'like' }, content: [{ content: 'At six.' }] })
    expect(shape(messages[3]).map((block) => (block as unknown[])[0])).toEqual(['Markdown', 'WebSearch', 'Markdown'])
  })

  test('[K20.2.3] a workflow that asks is answered through its form, and the stream goes on', async () => {
    const data = {
      form_id: 'f1',
      form_token: 'tok',
      node_title: 'Approve',
      form_content: 'Which port?',
      inputs: [{ type: 'text', output_variable_name: 'port' }],
      actions: [{ id: 'go', title: 'Go' }],
    }
    await using server = await startStandIn(({ path, method }, response) => {
      if (path.startsWith('/form/')) return json(response, 200, method === 'GET' ? data : {})
      if (path.startsWith('/workflow/t1/events')) return trickle(response, D1)
      return trickle(response, frames(frame('human_input_required', { data }), frame('workflow_paused', { data: {} })))
    })
    using chat = openChat({ adapter: dify({ user: 'u', baseUrl: server.url }) })
    const asked = await chat.send('hi')
    expect(asked).toMatchObject({
      status: 'completed',
      content: [
        {
          type: 'Question',
          content: { state: 'waiting', questions: [{ question: 'Which port?' }], actions: [{ id: 'go' }] },
        },
      ],
    })
    const { questionID } = asked!.content[0]!.content as { questionID: string }
    await chat.answerQuestion({ questionID, selections: {}, custom: { 0: 'Kiel' }, action: 'go' })
    expect(server.requests.find(({ method, path }) => method === 'POST' && path.startsWith('/form/'))?.body).toEqual({
      inputs: { port: 'Kiel' },
      action: 'go',
      user: 'u',
    })
    const { messages } = chat.getSnapshot()
    expect(messages[1]).toMatchObject({ content: [{ content: { state: 'answered', answers: [{ custom: 'Kiel' }] } }] })
    expect(shape(messages[2])[0]).toEqual(['Markdown', 'The tide turns at six.'])
  })
})
