import { startFakeModel } from '@parley/testkit'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listening, newHome, refused, start } from './home.ts'

const NO_KEYS = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', PARLEY_LANGUAGE: 'en' }
const EVERYTHING = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)

test('a start says that the demo answers, how many tools there are, and what holds commands', async () => {
  await using home = await newHome()
  await using server = start(home.path, NO_KEYS)
  await server.line(/Model: demo\. .*PARLEY_MODEL_URL/)
  await server.line(/Tools: [1-9]\d/)
  await server.line(/Commands run (?:in a sandbox \(|without a sandbox)/)
  await server.line(/Command limits: memory .*network closed/)
  await listening(server)
})

test('a start speaks the language of the configuration', async () => {
  await using home = await newHome()
  await using server = start(home.path, { ...NO_KEYS, PARLEY_LANGUAGE: 'zh' })
  await server.line(/模型：demo（演示模型）/)
  await server.line(/工具：\d+ 个/)
})

test('a start says which model answers, and whose first one it is where nobody named it', async () => {
  await using home = await newHome()
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const env = { ...NO_KEYS, PARLEY_MODEL_URL: provider.url }
  {
    await using server = start(home.path, env)
    await server.line(new RegExp(`Model: (?:fake-model, )?the first one listed by ${new URL(provider.url).origin}`))
    await listening(server)
  }
  await using server = start(home.path, { ...env, PARLEY_MODEL: 'qwen3' })
  await server.line(/Model: qwen3/)
})

test('a start says which models a compatible server has, and when it does not say', async () => {
  await using home = await newHome()
  const models = Array.from({ length: 23 }, (_, at) => `model-${at}`)
  await using provider = await startFakeModel(() => ({ text: 'Hi' }), { models })
  const env = { ...NO_KEYS, PARLEY_MODEL_URL: provider.url, PARLEY_MODEL: 'model-1' }
  const { origin } = new URL(provider.url)
  {
    await using server = start(home.path, env)
    await server.line(new RegExp(`Models at ${origin}: model-0, .*, model-19 and 3 more`))
  }
  await provider.close()
  await using server = start(home.path, { ...env, PARLEY_LANGUAGE: 'zh' })
  await server.line(new RegExp(`无法获知 ${origin} 提供哪些模型`))
  await listening(server)
})

test('a start says which MCP servers there are, what they say meanwhile, and how many tools each has', async () => {
  const config = { mcpServers: { demo: { command: process.execPath, args: [EVERYTHING] } } }
  await using home = await newHome({ 'parley.config.json': JSON.stringify(config) })
  await using server = start(home.path, NO_KEYS)
  await server.line(/MCP servers: demo: (?:\d+ tools|not connected yet)/)
  await server.line(/MCP server demo: \d+ tools/)
  expect(server.lines.join('\n')).toMatch(/MCP server demo says: Starting default \(STDIO\) server/)
})

test('[W12.12.5] a start says whose tokens let visitors in, and that their keys cannot be read', async () => {
  const jwks = 'http://127.0.0.1:1/keys.json'
  const config = { visitors: { jwks, issuer: 'https://shop.example', audience: 'parley' } }
  await using home = await newHome({ 'parley.config.json': JSON.stringify(config) })
  await using server = start(home.path, NO_KEYS)
  await server.line(
    /Visitors: whoever has a token signed by https:\/\/shop\.example may come in \(keys from http:\/\/127/,
  )
  await server.line(
    /The keys for visitors at http:\/\/127\.0\.0\.1:1\/keys\.json cannot be read: .*cannot be reached.*visitors\.jwks/,
  )
  await listening(server)
})

test('[W12.12.3] a sign-in that cannot be meant ends the start with exit code 2, and a sentence', async () => {
  const config = { visitors: { secret: 'short', issuer: 'https://shop.example', audience: 'parley' } }
  await using home = await newHome({ 'parley.config.json': JSON.stringify(config) })
  await refused(home.path, { code: 2 }, [/visitors\.secret: must have at least 32 bytes/])
})

test('a server for every interface says so, and prints an address that can be opened', async () => {
  await using home = await newHome()
  await using server = start(home.path, { ...NO_KEYS, PARLEY_HOST: '0.0.0.0' })
  const [, url] = await server.line(/listening on (http:\/\/localhost:\d+)/)
  await server.line(/0\.0\.0\.0/)
  expect((await fetch(`${url}/api/version`)).status).toBe(200)
  await server.line(/One-time sign-in link.*http:\/\/localhost:\d+\/api\/auth\/login/)
})
