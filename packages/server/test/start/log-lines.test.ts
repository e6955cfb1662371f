import { request } from 'node:http'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { listening, newHome, start } from './home.ts'

const KEY = 'sk-for-the-tests-of-the-log-0123456789'
const NO_KEYS = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', PARLEY_OWNER_KEY: KEY }

/** `fetch` sets no Origin of its own choice. */
async function from(origin: string, url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request(`${url}/api/version`, { headers: { origin } }, (response) => resolve(response.resume().statusCode!))
    .on('error', reject)
    .end()
  return promise
}

test.each([
  ['en', /A model call failed\. .*Incorrect API key provided.*Look at PARLEY_MODEL_KEY/],
  ['zh', /模型调用失败。.*Incorrect API key provided.*请检查 PARLEY_MODEL_KEY/],
])('a model call that fails is one line in the log: what failed, and where to look (%s)', async (language, line) => {
  await using provider = await startFakeModel(() => ({
    error: { status: 401, body: { error: { message: 'Incorrect API key provided' } } },
  }))
  await using home = await newHome()
  const env = { ...NO_KEYS, PARLEY_LANGUAGE: language, PARLEY_MODEL_URL: provider.url, PARLEY_MODEL: 'm' }
  await using server = start(home.path, { ...env, PARLEY_MODEL_KEY: 'sk-wrong-0123456789' })
  const url = await listening(server)
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const call = async (path: string, body: object) =>
    (await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
      session_id: string
    }
  const { session_id } = await call('/api/sessions', {})
  await call(`/api/sessions/${session_id}/chat`, { message: 'Hi' })
  await server.line(line)
  expect(server.lines.filter((one) => line.test(one))).toHaveLength(1)
  expect(server.lines.join('\n')).not.toContain('sk-wrong')
})

test('a page that was sent away is one line that names it and the variable, however often it comes and whatever it invents', async () => {
  await using home = await newHome()
  await using server = start(home.path, { ...NO_KEYS, PARLEY_LANGUAGE: 'en' })
  const url = await listening(server)
  for (let times = 0; times < 5; times++) expect(await from('https://shop.example', url)).toBe(403)
  await server.line(/A page of https:\/\/shop\.example was refused.*PARLEY_ALLOWED_ORIGINS/)
  for (let count = 0; count < 200; count++) expect(await from(`https://n${count}.example`, url)).toBe(403)
  expect(await from('http://localhost:5173', url)).toBe(200)
  const refused = () => server.lines.filter((line) => line.includes('was refused'))
  expect(refused().filter((line) => line.includes('shop.example'))).toHaveLength(1)
  expect(refused().length).toBeLessThanOrEqual(20)
})

test('an MCP server that does not come up is a line that says why, and where it is configured', async () => {
  const config = { mcpServers: { notes: { command: '/no/such/program' } } }
  await using home = await newHome({ 'parley.config.json': JSON.stringify(config) })
  await using server = start(home.path, { ...NO_KEYS, PARLEY_LANGUAGE: 'en' })
  await server.line(/The MCP server \\"notes\\" is down: .*ENOENT.*Look at `mcpServers\.notes` in the configuration/)
})
