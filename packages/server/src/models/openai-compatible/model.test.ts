import { Agent } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { startFakeModel, type FakeRequest } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { ModelMessage } from '../../ports.ts'
import { answerIn, eventsOf, LIMITS, recording, requestOf, toolNamed, userSays } from '../fixtures/ask.ts'
import { firstModel } from './first-model.ts'
import { createOpenAICompatibleModel, type OpenAICompatibleOptions } from './model.ts'

function modelAt(url: string, rest: Partial<OpenAICompatibleOptions> = {}) {
  return createOpenAICompatibleModel({
    id: 'model-x',
    model: 'model-x',
    baseUrl: new URL(url),
    agent: new Agent({ keepAlive: true }),
    connectTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    limits: LIMITS,
    newCallId: () => 'call_made_up',
    ...rest,
  })
}

test('the bytes of a request are a prefix of the next one, up to the end of the shared messages', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Fine.' }))
  const model = modelAt(provider.url)
  const tools = [toolNamed('Write'), toolNamed('Read')]
  const messages: ModelMessage[] = [userSays('How are you? 😀')]
  for (const next of ['And now?', '你呢？']) {
    const events = await eventsOf(model, requestOf('', { tools, messages: [...messages] }))
    messages.push(answerIn(events), userSays(next))
  }
  await eventsOf(model, requestOf('', { tools, messages }))
  const [first, second, third] = provider.requests.map(shared)
  expect(second?.subarray(0, first?.length)).toEqual(first)
  expect(third?.subarray(0, second?.length)).toEqual(second)

  function shared({ bytes }: FakeRequest): Buffer {
    return bytes.subarray(0, bytes.length - ']}'.length)
  }
})

test('calls one after another share a connection', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Fine.' }))
  const agent = new Agent({ keepAlive: true })
  const model = modelAt(provider.url, { agent })
  await eventsOf(model, requestOf('One'))
  await provider.requests[0]?.closed
  await eventsOf(model, requestOf('Two'))
  await provider.requests[1]?.closed
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
})

test('a kept connection that the server closes under our request is replaced without a word', async () => {
  const answer = recording('openai-text')
  const ok = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let requests = 0
    socket.on('data', () => (++requests === 1 ? socket.write(ok) : socket.resetAndDestroy()))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const model = modelAt(`http://127.0.0.1:${port}/v1`)
  await eventsOf(model, requestOf('One'))
  const events = await eventsOf(model, requestOf('Two'))
  expect(events.at(-1)).toMatchObject({ type: 'finish' })
  expect(sockets).toHaveLength(2)
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('a connection that cannot be made in time is a network failure', async () => {
  const agent = new Agent({ lookup: () => undefined }) // a name server that never answers
  const model = modelAt('http://provider.test/v1', { agent, connectTimeoutMs: 100 })
  expect(await eventsOf(model, requestOf('Hello'))).toMatchObject([
    { type: 'failed', failure: { kind: 'network', incomplete: false, message: expect.stringContaining('100 ms') } },
  ])
})

test('thinking goes back under the name it came with, and that of other providers stays here', async () => {
  await using provider = await startFakeModel([
    { recorded: { body: recording('deepseek-reasoning-tool') } },
    { recorded: { body: recording('reasoning-twice') } },
    { text: 'Done.' },
  ])
  const model = modelAt(provider.url)
  const one = answerIn(await eventsOf(model, requestOf('One')))
  const two = answerIn(await eventsOf(model, requestOf('Two')))
  const foreign: ModelMessage = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'Signed.', metadata: { anthropic: { signature: 'sig' } } },
      { type: 'text', text: 'Said.' },
    ],
  }
  await eventsOf(model, requestOf('', { messages: [userSays('Go'), one, two, foreign] }))
  expect(provider.requests[2]?.body['messages']).toEqual([
    { role: 'system', content: 'You are a test.' },
    { role: 'user', content: 'Go' },
    expect.objectContaining({ reasoning_content: 'I should read the file first.' }),
    expect.objectContaining({ reasoning: 'First thought.Second thought.', content: 'Partly. Done.' }),
    { role: 'assistant', content: 'Said.' },
  ])
})

test('what a server wants back with a tool call goes back with it', async () => {
  await using provider = await startFakeModel([{ recorded: { body: recording('gemini-tools') } }, { text: 'Done.' }])
  const model = modelAt(provider.url)
  const answer = answerIn(await eventsOf(model, requestOf('Go')))
  await eventsOf(model, requestOf('', { messages: [userSays('Go'), answer] }))
  expect(provider.requests[1]?.body['messages']).toMatchObject([
    {},
    {},
    {
      tool_calls: [
        { extra_content: { google: { thought_signature: 'CiQBjz1rX0a4Kb+8=' } } },
        { id: 'function-call-1148' },
      ],
    },
  ])
})

test('arguments that are no JSON come out as they are and go back wrapped', async () => {
  await using provider = await startFakeModel([
    { calls: [{ name: 'Read', arguments: '{"file_path": ' }], finish: 'length' },
    { text: 'Done.' },
  ])
  const model = modelAt(provider.url)
  const answer = answerIn(await eventsOf(model, requestOf('Go')))
  expect(answer.content).toMatchObject([{ type: 'tool_call', arguments: '{"file_path": ' }])
  await eventsOf(model, requestOf('', { messages: [userSays('Go'), answer] }))
  expect(JSON.stringify(provider.requests[1]?.body)).toContain(
    JSON.stringify(JSON.stringify({ invalid_arguments: '{"file_path": ' })),
  )
})

test('a call without an id gets one', async () => {
  const body = recording('ollama-tool').replace('"id":"call_tmq4jzqx",', '')
  await using provider = await startFakeModel([{ recorded: { body } }])
  const events = await eventsOf(modelAt(provider.url), requestOf('Go'))
  expect(events).toContainEqual(
    expect.objectContaining({ call: { id: 'call_made_up', name: 'Glob', arguments: '{"pattern":"**/*"}' } }),
  )
})

test('calls without an index are kept apart by their ids', async () => {
  const body = recording('openai-parallel-tools').replaceAll(/"index":[01],"(id|function)"/g, '"$1"')
  await using provider = await startFakeModel([{ recorded: { body } }])
  const events = await eventsOf(modelAt(provider.url), requestOf('Go'))
  expect(events.filter(({ type }) => type === 'tool_call')).toMatchObject([
    { call: { id: 'call_Vw0sbSWp', arguments: '{"file_path":"README.md"}' } },
    { call: { id: 'call_8qKXmZ2T', arguments: '{"pattern":"**/*.ts"}' } },
  ])
})

test('an answer is complete when the connection breaks after its finish reason', async () => {
  const body =
    recording('openai-text').split(
      'data: {"id":"chatcmpl-CX1a9","object":"chat.completion.chunk","created":1762012800,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_cbf1785567","choices":[]',
    )[0] ?? ''
  await using provider = await startFakeModel([{ recorded: { body }, hangUp: true }])
  expect((await eventsOf(modelAt(provider.url), requestOf('Go'))).at(-1)).toEqual({
    type: 'finish',
    reason: 'stop',
    usage: null,
  })
})

test('a web page in place of an answer asks whether the address ends in /v1', async () => {
  const recorded = { contentType: 'text/html; charset=utf-8', body: '<!doctype html><title>Hello</title>' }
  await using provider = await startFakeModel([{ recorded }])
  expect(await eventsOf(modelAt(provider.url), requestOf('Go'))).toMatchObject([
    { type: 'failed', failure: { kind: 'invalid', message: expect.stringContaining('Does the address end in /v1?') } },
  ])
})

test('an error in a JSON body under a good status is a failure of its kind', async () => {
  const body = '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}'
  await using provider = await startFakeModel([{ recorded: { contentType: 'application/json', body } }])
  expect(await eventsOf(modelAt(provider.url), requestOf('Go'))).toMatchObject([
    { type: 'failed', failure: { kind: 'rate_limit', incomplete: false } },
  ])
})

test('a reader that is slower than the provider gets all of the text in bounded memory', async () => {
  const text = 'x'.repeat(3_000_000)
  await using provider = await startFakeModel([{ text, chunkChars: 30_000 }])
  let received = 0
  let longest = 0
  const model = modelAt(provider.url, { limits: { ...LIMITS, characters: 4_000_000 } })
  for await (const event of model.stream(requestOf('Go'))) {
    if (event.type !== 'text') continue
    received += event.delta.length
    longest = Math.max(longest, event.delta.length)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(received).toBe(text.length)
  expect(longest).toBeLessThan(1_000_000)
})

test('a server is asked for the name of its model once, and again after it could not be reached', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const server = { id: 'local', baseUrl: new URL(provider.url), agent: new Agent(), timeoutMs: 1000 }
  const find = firstModel(server)
  const { signal } = new AbortController()
  expect(await find(signal)).toBe('fake-model')
  await eventsOf(modelAt(provider.url, { model: find }), requestOf('Go'))
  expect(provider.requests[0]?.model).toBe('fake-model')
  await provider.close()
  expect(await find(signal)).toBe('fake-model')
  const unreached = firstModel(server)
  expect(await unreached(signal)).toMatchObject({ kind: 'network', incomplete: false })
})

test('what the reader has not fetched yet is dropped by an abort', async () => {
  await using provider = await startFakeModel([{ thinking: 'Hm.', text: 'All at once.' }])
  const stopping = new AbortController()
  const seen: string[] = []
  for await (const event of modelAt(provider.url).stream(requestOf('Go', { signal: stopping.signal }))) {
    seen.push(event.type)
    await provider.requests[0]?.closed
    stopping.abort()
  }
  expect(seen).toEqual(['accepted'])
})
