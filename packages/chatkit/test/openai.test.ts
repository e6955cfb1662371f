import { describe, expect, test } from 'vitest'
import { openai } from '../src/adapters/openai/openai.ts'
import { openaiCore } from '../src/adapters/openai/openai-core.ts'
import { openChat, shape, until } from './chat.ts'
import { frames, json, startStandIn, stream, trickle } from './stand-in.ts'
import { playAllWays } from './vectors.ts'

const delta = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  choices: [{ index: 0, delta, finish_reason }],
})
const usage = { id: 'c1', choices: [], usage: { total_tokens: 7 } }
const O1 = frames(
  delta({ role: 'assistant', content: '' }),
  delta({ content: 'Hi' }),
  delta({ content: ' there' }),
  delta({}, 'stop'),
  usage,
  '[DONE]',
)

describe('the event core', () => {
  test('[KO1] deltas make one text, usage makes the token count', async () => {
    expect(await playAllWays(openaiCore(), O1)).toMatchObject({
      blocks: [['Markdown', 'Hi there']],
      context: { totalTokens: 7 },
      messageID: 'c1',
      end: 'completed',
    })
  })

  test('[KO2] pieces of a tool call are joined and parsed once they are whole', async () => {
    const call = (piece: object) => delta({ tool_calls: [piece] })
    const text = frames(
      call({ index: 0, id: 'k', function: { name: 'f', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"a"' } }),
      call({ index: 0, function: { arguments: ':1}' } }),
      delta({}, 'tool_calls'),
      '[DONE]',
    )
    const { blocks } = await playAllWays(openaiCore(), text)
    expect(blocks).toEqual([['Tool', { id: 'k', name: 'f', title: 'f', status: 'pending', input: { a: 1 } }]])
  })

  test('[KO3] a connection that ends after a finish reason is complete, without one it is a network failure', async () => {
    const text = frames(delta({ content: 'Hi' }), delta({}, 'stop'))
    expect(await playAllWays(openaiCore(), text)).toMatchObject({ end: 'completed' })
    expect(await playAllWays(openaiCore(), frames(delta({ content: 'Hi' })))).toMatchObject({
      blocks: [['Markdown', 'Hi']],
      end: 'error',
      error: { code: 'network' },
    })
  })

  test('[K23.4] text, tool, text give three blocks; reasoning and other choices do not mix in', async () => {
    const text = frames(
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'a' }),
      { choices: [{ index: 1, delta: { content: 'other' } }] },
      delta({ tool_calls: [{ index: 0, id: 'k', function: { name: 'f', arguments: '{}' } }] }),
      delta({ content: 'b' }),
      delta({ content: 'c', refusal: '!' }, 'length'),
      '[DONE]',
    )
    const { blocks } = await playAllWays(openaiCore('en'), text)
    expect(blocks).toMatchObject([
      ['Reasoning', { text: 'hm' }],
      ['Markdown', 'a'],
      ['Tool', { name: 'f' }],
      ['Markdown', 'bc!'],
      ['Notice', { text: 'The answer was cut off at the length limit', level: 'warning' }],
    ])
  })

  test('[K20.3] an error frame is an error with the platform’s code', async () => {
    const text = frames(delta({ content: 'Hi' }), { error: { message: 'x', code: 'rate_limit_exceeded' } })
    expect(await playAllWays(openaiCore(), text)).toMatchObject({
      blocks: [['Markdown', 'Hi']],
      error: { code: 'rate_limited', platformCode: 'rate_limit_exceeded' },
    })
  })
})

describe('against a server', () => {
  test('[K20.3] the whole visible conversation goes out, the context as a prefix, and the answer comes in', async () => {
    await using server = await startStandIn((_, response) => trickle(response, O1))
    using chat = openChat({
      adapter: openai({ baseUrl: `${server.url}/v1/`, model: 'm', system: 'Be brief.' }),
      token: 't',
    })
    await chat.send('one', { context: { title: 'Doc', data: { id: 1 } } })
    chat.removeApplicationContext()
    const answer = await chat.send('two')
    expect(shape(answer)).toEqual([['Markdown', 'Hi there']])
    expect(answer).toMatchObject({ messageID: 'c1', status: 'completed', messageContext: { totalTokens: 7 } })
    expect(chat.getSnapshot().conversationID).toMatch(/^local_/)
    const [, second] = server.requests
    expect(second).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer t' } })
    expect(second?.body).toMatchObject({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '【上下文: Doc】\n{\n  "id": 1\n}\n\none' },
        { role: 'assistant', content: 'Hi there' },
        { role: 'user', content: 'two' },
      ],
    })
  })

  test('[K18] a connection cut in the middle keeps the text and fails with network', async () => {
    await using server = await startStandIn((_, response) => {
      stream(response, frames(delta({ content: 'Par' })))
      response.write('data: {"id":"c1","cho', () => response.destroy())
    })
    using chat = openChat({ adapter: openai({ baseUrl: server.url, model: 'm' }) })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'network', retryable: true })
    expect(chat.getSnapshot()).toMatchObject({ status: 'idle', run: null })
    expect(chat.getSnapshot().messages.at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'network' },
      content: [{ type: 'Markdown', content: 'Par' }],
    })
  })

  test.each([
    [
      400,
      { error: { message: 'x', type: 'invalid_request_error' } },
      { code: 'server', retryable: false, status: 400 },
    ],
    [403, { error: { message: 'x' } }, { code: 'forbidden' }],
    [404, 'nothing here', { code: 'not_found' }],
    [429, { error: { message: 'x', code: 'rate_limit_exceeded' } }, { code: 'rate_limited', retryable: true }],
    [500, '<html>', { code: 'server', retryable: true }],
    [200, { error: { message: 'x', code: 'insufficient_quota' } }, { code: 'rate_limited' }],
  ])('[K6.2] status %s with %j before the stream is a failure', async (status, body, error) => {
    await using server = await startStandIn((_, response) => json(response, status, body))
    using chat = openChat({ adapter: openai({ baseUrl: server.url, model: 'm' }) })
    await expect(chat.send('hi')).rejects.toMatchObject(error)
    expect(chat.getSnapshot().messages).toMatchObject([{ role: { type: 'User' } }, { status: 'failed', error }])
  })

  test('[K10] an expired token is refreshed once and the same request repeated', async () => {
    await using server = await startStandIn((request, response) =>
      request.headers.authorization === 'Bearer new'
        ? trickle(response, O1)
        : json(response, 401, { error: { code: 'token_expired' } }),
    )
    const refreshToken = async () => 'new'
    using chat = openChat({ adapter: openai({ baseUrl: server.url, model: 'm' }), token: 'old', refreshToken })
    expect(shape(await chat.send('hi'))).toEqual([['Markdown', 'Hi there']])
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
    expect(server.requests[0]?.text).toBe(server.requests[1]?.text)
    expect(chat.getSnapshot().messages).toHaveLength(2)
  })

  test('[K5] stop aborts the request and keeps what was shown', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await startStandIn((_, response) => {
      response.on('close', () => closed.resolve())
      stream(response, frames(delta({ content: 'Half' })))
    })
    using chat = openChat({ adapter: openai({ baseUrl: server.url, model: 'm' }) })
    const sent = chat.send('hi')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    await closed.promise
    expect(await sent).toMatchObject({ status: 'stopped', content: [{ content: 'Half' }] })
  })

  test('[K20.3] registered client tools run, their results go back, and the model goes on', async () => {
    const tool = delta({ tool_calls: [{ index: 0, id: 'k', function: { name: 'add', arguments: '{"a":1,"b":2}' } }] })
    await using server = await startStandIn((request, response) => {
      const isSecond = request.text.includes('"role":"tool"')
      return trickle(response, isSecond ? O1 : frames(tool, delta({}, 'tool_calls'), '[DONE]'))
    })
    const clientTools = { add: { run: (input: unknown) => (input as { a: number; b: number }).a + 2 } }
    using chat = openChat({ adapter: openai({ baseUrl: server.url, model: 'm', clientTools }) })
    expect(shape(await chat.send('1+2'))).toMatchObject([
      ['Tool', { name: 'add', status: 'done', input: { a: 1, b: 2 }, output: 3 }],
      ['Markdown', 'Hi there'],
    ])
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'k', function: { name: 'add' } }] },
        { role: 'tool', tool_call_id: 'k', content: '3' },
      ],
    })
  })

  test('[K20.3] with a storage, conversations outlive the page', async () => {
    await using server = await startStandIn((_, response) => trickle(response, O1))
    const kept = new Map<string, string>()
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    }
    const adapter = () => openai({ baseUrl: server.url, model: 'm', storage })
    using first = openChat({ adapter: adapter() })
    await first.send('one')
    await first.send('two')
    const { conversationID, messages } = first.getSnapshot()
    using second = openChat({ adapter: adapter() })
    expect(await second.getConversations()).toMatchObject([{ conversationID, title: 'one' }])
    await second.loadConversation(conversationID)
    expect(second.getSnapshot().messages.map(shape)).toEqual(messages.map(shape))
    await second.renameConversation(conversationID, 'New')
    expect(await second.getConversations()).toMatchObject([{ title: 'New' }])
    await second.deleteConversation(conversationID)
    expect(await second.getConversations()).toEqual([])
    expect([...kept.keys()]).toEqual(['chatkit:index'])
  })
})
