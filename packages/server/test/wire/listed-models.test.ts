import { createServer, type IncomingMessage, request, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelsConfig } from '@parley/protocol/rest'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { World } from './world.ts'

const listOf = async (world: World) => (await world.rest<ModelsConfig>('GET', '/api/config/models')).body
const ids = async (world: World) => (await listOf(world)).models.map(({ id }) => id)

/** A server that lists many models, as Ollama and vLLM do, and says which of them was asked. */
const manyModels = (models: readonly string[] = ['llama3.3:70b', 'qwen3:8b', 'org/own-model']) =>
  startFakeModel((request) => ({ text: `I am ${request.model}` }), { models })

/** A server of our own making. */
async function serve(answer: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const answerTo = async (world: World, body: object) => {
  const path = `/api/sessions/${await world.newSession(body)}/chat`
  const { body: result } = await world.rest('POST', path, { body: { message: 'Who are you?' } })
  return JSON.stringify(result)
}

test('every model that a compatible server lists is listed by its own name, and answers the sessions that name it', async () => {
  await using provider = await manyModels()
  await using world = await World.open('sqlite', { modelUrl: provider.url, model: 'qwen3:8b' })
  await expect.poll(() => ids(world)).toEqual(['qwen3:8b', 'llama3.3:70b', 'org/own-model'])
  expect(await listOf(world)).toMatchObject({ default: 'qwen3:8b', models: [{}, { context_window: 131_072 }, {}] })
  expect(await answerTo(world, {})).toContain('I am qwen3:8b')
  for (const model of ['llama3.3:70b', 'org/own-model'])
    expect(await answerTo(world, { model })).toContain(`I am ${model}`)
  expect((await world.rest('POST', '/api/sessions', { body: { model: 'llama4' } })).status).toBe(422)
})

test('where nobody named one, the first that the server lists is the default', async () => {
  await using provider = await manyModels()
  await using world = await World.open('sqlite', { modelUrl: provider.url, model: undefined! })
  await expect.poll(() => ids(world)).toEqual(['llama3.3:70b', 'qwen3:8b', 'org/own-model'])
  expect((await listOf(world)).default).toBe('llama3.3:70b')
  expect(await answerTo(world, {})).toContain('I am llama3.3:70b')
})

test('a server at OPENAI_BASE_URL is asked for its models, too', async () => {
  await using provider = await manyModels()
  const openai = { openaiApiKey: 'o-key', openaiBaseUrl: provider.url }
  await using world = await World.open('sqlite', { ...openai, modelUrl: undefined!, model: 'qwen3:8b' })
  await expect.poll(() => ids(world)).toEqual(['qwen3:8b', 'llama3.3:70b', 'org/own-model'])
})

test('a server that never answers the question for its models delays no start', async () => {
  await using provider = await serve(() => undefined)
  await using world = await World.open('sqlite', { modelUrl: provider.url, model: 'qwen3:8b' })
  expect(await ids(world)).toEqual(['qwen3:8b'])
})

test.each<[string, (response: ServerResponse) => void]>([
  ['says no', (response) => response.writeHead(500).end('{"error":{"message":"out of order"}}')],
  ['hangs up', (response) => response.destroy()],
  ['sends a page', (response) => response.writeHead(200).end('<!doctype html><title>Hi</title>')],
  ['lists nothing', (response) => response.writeHead(200).end('{"data":[]}')],
  ['nests without end', (response) => response.writeHead(200).end('['.repeat(100_000))],
])('of a server that %s the configured model remains, and one line in the log tells', async (_what, answer) => {
  await using provider = await serve((_request, response) => answer(response))
  await using world = await World.open('sqlite', { modelUrl: provider.url, model: 'qwen3:8b' })
  const told = () => world.warnings.filter((line) => line.includes('does not say which models it has'))
  await expect.poll(told).toHaveLength(1)
  expect(await ids(world)).toEqual(['qwen3:8b'])
  expect(world.errors).toEqual([])
})

test('of a list only names are taken, each once and five hundred at most', async () => {
  const strange = [{ id: 7 }, {}, 'x', { id: '' }, { id: 'a'.repeat(201) }, { id: 'two\nlines' }, { id: 'good' }]
  const many = Array.from({ length: 600 }, (_, at) => ({ id: `m${at}` }))
  const data = [...strange, { id: 'good' }, ...many]
  await using provider = await serve((_request, response) => response.end(JSON.stringify({ data })))
  await using world = await World.open('sqlite', { modelUrl: provider.url, model: 'mine' })
  await expect.poll(async () => (await ids(world)).length).toBe(501)
  expect((await ids(world)).slice(0, 3)).toEqual(['mine', 'good', 'm0'])
})

test('after a restart the listed model of a session, and of a run, stays what it was while the server does not list it yet', async () => {
  const models = ['qwen3:8b', 'org/own-model']
  let answers = 0
  await using provider = await startFakeModel(
    (request) => ({ text: `I am ${request.model}`, ...(answers++ === 0 && { hang: 'after' as const }) }),
    { models },
  )
  let isSilent = false
  await using front = await serve((asked, response) => {
    if (isSilent && asked.url!.endsWith('/models')) return
    asked.pipe(forward(new URL(asked.url!, provider.url), asked, response))
  })
  await using world = await World.open('sqlite', { modelUrl: front.url, model: 'qwen3:8b' })
  await expect.poll(() => ids(world)).toContain('org/own-model')
  const session = await world.newSession({ model: 'org/own-model' })
  {
    await using chat = await world.chat({ session_id: session })
    await chat.send('Who are you?')
    await provider.received(1)
    isSilent = true
    await world.stop()
  }
  await world.start()
  expect(await ids(world)).toEqual(['qwen3:8b'])
  await expect.poll(async () => (await world.session(session)).status).toBe('completed')
  const { body } = await world.rest('POST', `/api/sessions/${session}/chat`, { body: { message: 'Still you?' } })
  expect(JSON.stringify(body)).toContain('I am org/own-model')
  expect(provider.requests.map(({ model }) => model)).toEqual(Array(3).fill('org/own-model'))
})

const forward = (url: URL, { method, headers }: IncomingMessage, response: ServerResponse) =>
  request(url, { method: method!, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
