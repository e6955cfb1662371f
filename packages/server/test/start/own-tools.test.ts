import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { listening, newHome, refused, start } from './home.ts'

const KEY = 'sk-own-0123456789012345678901234567'
const IMPORTS = "import { defineTool } from '@parley/tools'\nimport { z } from 'zod'\n"
const tool = (name: string) => `defineTool({ name: '${name}', description: 'd', input: z.object({}), run: () => 1 })`

test('[W12.10] a function in parley.config.ts is called by the program as it is shipped, where nothing was ever installed', async () => {
  await using provider = await startFakeModel(({ results }) =>
    results.length === 0 ? { calls: [{ name: 'stock', arguments: { item: 'tea' } }] } : { text: results[0]! },
  )
  await using home = await newHome({
    'shop.ts': "export const shop: string = 'the shop'\n",
    'parley.config.ts': `${IMPORTS}import { shop } from './shop.ts'
export default {
  tools: [
    defineTool({
      name: 'stock',
      description: 'Tells what is left.',
      input: z.object({ item: z.string() }),
      run({ item }, { attempt }) {
        console.log('somebody asks for ' + item)
        return { shop, item, left: 7, attempt }
      },
    }),
  ],
}
`,
  })
  const env = { PARLEY_OWNER_KEY: KEY, PARLEY_MODEL_URL: provider.url, PARLEY_MODEL: 'fake-model' }
  await using server = start(home.path, env)
  const url = await listening(server)
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) =>
    (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<object>
  const { session_id } = (await post('/api/sessions', {})) as { session_id: string }
  const answer = await post(`/api/sessions/${session_id}/chat`, { message: 'how much tea?' })
  expect(JSON.stringify(answer)).toContain(
    String.raw`{\"shop\":\"the shop\",\"item\":\"tea\",\"left\":7,\"attempt\":1}`,
  )
  // What it writes is a line of the log, with its name.
  const line = await server.line(/somebody asks for tea/)
  expect(line.input).toContain('stock')
  expect(server.lines.join('\n')).not.toMatch(/MODULE_TYPELESS|ExperimentalWarning/)
})

test.each(['parley.config.ts', 'shop.ts'])(
  '[W12.10] after a change of %s, no tool of the configuration runs as another than people were told, until the server is started again',
  async (name) => {
    await using provider = await startFakeModel(({ results }) =>
      results.length === 0 ? { calls: [{ name: 'where', arguments: {} }] } : { text: results[0]! },
    )
    const files: Record<string, string> = {
      'shop.ts': "export const shop: string = 'first shop'\n",
      'parley.config.ts': `${IMPORTS}import { shop } from './shop.ts'
export default { tools: [defineTool({ name: 'where', description: 'd', input: z.object({}), run: () => 'the ' + shop })] }
`,
    }
    await using home = await newHome(files)
    const env = { PARLEY_OWNER_KEY: KEY, PARLEY_MODEL_URL: provider.url, PARLEY_MODEL: 'fake-model' }
    const ask = async (url: string) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const post = async (path: string, body: object) =>
        (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<object>
      const { session_id } = (await post('/api/sessions', {})) as { session_id: string }
      return JSON.stringify(await post(`/api/sessions/${session_id}/chat`, { message: 'where?' }))
    }
    const write = (text: string) => writeFile(join(home.path, name), text)
    const edited = files[name]!.replace('first', 'second').replace('the ', 'the new ')
    {
      await using server = start(home.path, env)
      const url = await listening(server)
      expect(await ask(url)).toContain('the first shop')
      await write(edited)
      const refusal = await ask(url)
      expect(refusal).toContain(`where did not run: ${name} has changed since the server started. Restart the server`)
      // As it was, it is what people were told.
      await write(files[name]!)
      expect(await ask(url)).toContain('the first shop')
      await write(edited)
      server.signal('SIGTERM')
      await server.exited
    }
    await using server = start(home.path, env)
    expect(await ask(await listening(server))).toMatch(/the new first shop|the second shop/)
  },
)

test.each([
  [
    'no tool',
    `export default { tools: [${tool('a')}, { name: 'b', run: () => 1 }] }`,
    /tools\.1: not made by defineTool/,
  ],
  ['no list', `export default { tools: ${tool('a')} }`, /tools: .*expected array/],
  [
    'a name twice',
    `export default { tools: [${tool('a')}, ${tool('a')}] }`,
    /parley\.config\.ts is wrong:\n {2}tools\.1: there is another tool named a/,
  ],
  [
    'a built-in tool’s name',
    `export default { tools: [${tool('a')}, ${tool('Read')}] }`,
    /parley\.config\.ts is wrong:\n {2}tools\.1: Read is the name of a built-in tool; choose another name/,
  ],
  [
    'a name of the server’s',
    `export default { tools: [${tool('mcp__a')}] }`,
    /tools\.0: the server needs the name mcp__a/,
  ],
  [
    'a question’s name',
    `export default { tools: [${tool('AskUserQuestion')}] }`,
    /tools\.0: the server needs the name/,
  ],
  ['a sub-agent’s name', `export default { tools: [${tool('my_agent')}] }`, /my_agent.*may not contain "agent"/],
  [
    'a LangChain tool’s name',
    `export default { tools: [${tool('a')}], langchainTools: [{ name: 'a', schema: z.object({}), invoke: async () => 1 }] }`,
    /tools\.0: there is another tool named a/,
  ],
])('[W12.10] %s among the tools ends the start with exit code 2', async (_what, text, message) => {
  await using home = await newHome({ 'parley.config.ts': IMPORTS + text })
  await refused(home.path, { code: 2 }, [message])
})
