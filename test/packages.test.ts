/** Packages as people get them: packed, installed in a folder of their own, built, rendered, imported and type-checked. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startFakeModel } from '@parley/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const PACKAGES = ['protocol', 'tools', 'client', 'chatkit', 'agent-kit', 'server', 'agent', 'cli']
const LIBRARIES = PACKAGES.filter((name) => name !== 'cli')
/** All that can be imported of them but style sheets and what is made when the kit is built: `protocol`, `protocol/rest` … */
const ENTRIES = LIBRARIES.flatMap((name) => {
  const file = join(root, 'packages', name, 'package.json')
  const { exports } = JSON.parse(readFileSync(file, 'utf8')) as { exports: Record<string, Record<string, string>> }
  const sources = Object.entries(exports).filter(([, entry]) => 'parley-source' in entry)
  return sources.map(([subpath]) => join(name, subpath))
})
const TYPES_ONLY = ['protocol/rest']
const FROM_REPOSITORY = ['react', 'react-dom', '@types/react', '@types/react-dom', '@types/node']

let folder: string
let tarballs: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-packages-'))
  // What every package does before it is packed, once for all of them.
  await run(process.execPath, [join(root, 'scripts/prepack.mjs')], { cwd: join(root, 'packages/server') })
  const workspaces = PACKAGES.map((name) => `--workspace=@parley/${name}`)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, ...workspaces], { cwd: root })
  tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  const versions = await Promise.all(FROM_REPOSITORY.map(versionOf))
  await write('package.json', {
    type: 'module',
    dependencies: {
      ...Object.fromEntries(tarballs.map((file) => [nameOf(file), `file:./${file}`])),
      ...Object.fromEntries(FROM_REPOSITORY.map((name, n) => [name, versions[n]])),
    },
  })
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'])
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every package is packed, and nothing of it is a test', async () => {
  expect(tarballs.map(nameOf).toSorted()).toEqual(PACKAGES.map((name) => `@parley/${name}`).toSorted())
  for (const name of PACKAGES) {
    const files = await readdir(join(folder, 'node_modules/@parley', name), { recursive: true })
    expect(files).toContain('README.md')
    expect(files.filter((file) => /\.test\.|(^|\/)test\//.test(file))).toEqual([])
  }
})

test.each(PACKAGES)('publint finds nothing in %s', async (name) => {
  const { stdout } = await tool('publint', ['run', '--strict', tarballOf(name)])
  expect(stdout).toContain('All good!')
})

test.each(LIBRARIES)('the types of %s are found where its code is', async (name) => {
  await tool('@arethetypeswrong/cli', [tarballOf(name), '--profile', 'esm-only', '--no-color', '--no-emoji'])
})

test.each(['bundler', 'nodenext'])(
  'types hold under %s, those of libraries included',
  async (moduleResolution) => {
    await write('app.tsx', APP)
    await write('parley.config.ts', CONFIG)
    await write('library.ts', LIBRARY)
    await write('entries.ts', ENTRIES.map((name, n) => `export type * as e${n} from '@parley/${name}'`).join('\n'))
    await write('tsconfig.json', {
      compilerOptions: {
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
        module: moduleResolution === 'bundler' ? 'preserve' : 'nodenext',
        moduleResolution,
        jsx: 'react-jsx',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
      },
      files: ['app.tsx', 'entries.ts', 'parley.config.ts', 'library.ts'],
    })
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
  },
  120_000,
)

test('a Vite app with the chat in it is built', async () => {
  await write('index.html', '<div id="app"></div><script type="module" src="/app.tsx"></script>')
  await write('app.tsx', `${APP}\ncreateRoot(document.querySelector('#app')!).render(<App />)`)
  await run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'])
  const built = await readdir(join(folder, 'dist'), { recursive: true })
  expect(built.some((file) => file.endsWith('.css'))).toBe(true)
}, 120_000)

test('the chat renders on a server', async () => {
  const { stdout } = await script(`
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    import { ChatKit, parley } from '@parley/chatkit'
    const adapter = parley({ baseUrl: 'http://127.0.0.1:1' })
    console.log(renderToString(createElement(ChatKit, { adapter, token: 'x' })))`)
  expect(stdout).toContain('<textarea')
})

test('everything can be imported in Node, and the React entries say that they are for the client', async () => {
  const { stdout } = await script(`
    for (const name of ${JSON.stringify(ENTRIES)})
      console.log(name, Object.keys(await import('@parley/' + name)).length > 0)`)
  const lines = ENTRIES.map((name) => `${name} ${!TYPES_ONLY.includes(name)}\n`)
  expect(stdout).toBe(lines.join(''))
  for (const entry of ['chatkit/dist/index.js', 'agent-kit/dist/react.js', 'agent-kit/dist/chat.js'])
    expect(await readFile(join(folder, 'node_modules/@parley', entry), 'utf8')).toMatch(/^'use client'/)
})

test('the installed command line answers a question by itself, and its server has the embed script', async () => {
  const parley = join(folder, 'node_modules/.bin/parley')
  const env = { LANG: 'en_US.UTF-8', PARLEY_LANGUAGE: 'en' }
  const { stdout } = await run(parley, ['run', 'hello'], { env })
  expect(stdout).toContain('demo model')
  const served = await script(`
    import { start } from '@parley/server'
    const server = await start({ port: 0, dataDir: 'served', logLevel: 'silent' })
    console.log((await fetch(server.url + '/embed.js')).status)
    await server.close()`)
  expect(served.stdout).toBe('200\n')
}, 120_000)

test('a tool is written, tested, and called by an installed server: in a process of its own, and in the program that gives it', async () => {
  await using provider = await startFakeModel(({ results }) =>
    results.length === 0
      ? { calls: [{ name: 'add', arguments: { a: 40, b: '2' } }] }
      : { text: `It is ${results[0]}.` },
  )
  await write('parley.config.ts', CONFIG)
  const { stdout } = await script(`
    import { runTool } from '@parley/tools'
    import { start } from '@parley/server'
    import { add } from './parley.config.ts'
    console.log(JSON.stringify(await runTool(add, { a: 40, b: '2' })))
    const call = async (dataDir, given) => {
      const options = { port: 0, logLevel: 'silent', modelUrl: '${provider.url}', model: 'fake-model' }
      const server = await start({ ...options, dataDir, ...given })
      const headers = { authorization: 'Bearer ' + server.key, 'content-type': 'application/json' }
      const post = async (path, body) =>
        (await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
      const { session_id } = await post('/api/sessions', {})
      await post('/api/sessions/' + session_id + '/chat', { message: 'add' })
      const turns = await (await fetch(server.url + '/api/sessions/' + session_id + '/messages', { headers })).json()
      const { sum, pid } = turns[1].tool_calls[0].result
      console.log(sum, pid === process.pid)
      await server.close()
    }
    await call('one', {})
    await call('two', { tools: [add] })`)
  expect(stdout.replace(/"pid":\d+/, '"pid":1').split('\n')).toEqual([
    '{"status":"done","result":{"sum":42,"pid":1},"settled":true}',
    '42 false',
    '42 true',
    '',
  ])
}, 120_000)

test('an agent is installed and answers without a server, with a tool and a confirmation', async () => {
  await write('library.ts', LIBRARY)
  const { stdout } = await run(process.execPath, ['library.ts'])
  expect(stdout).toBe('confirm refund\nRefunded 40.\ndone\n')
}, 120_000)

const LIBRARY = `
import { type AgentEvent, type AgentPlugin, createAgent, formatSSEEvent, ScriptedModel } from '@parley/agent'
const shop: AgentPlugin = {
  name: 'shop',
  version: '1.0.0',
  description: 'A shop',
  tools: [
    {
      name: 'refund',
      description: 'Pays back.',
      riskLevel: 'high',
      parameters: [{ name: 'euros', type: 'number', description: 'How much', required: true }],
      execute: async ({ euros }: { euros: number }) => ({ success: true, content: \`Refunded \${euros}.\` }),
    },
  ],
}
const llm = new ScriptedModel([
  { toolCalls: [{ name: 'refund', arguments: { euros: 40 } }] },
  ({ messages }) => ({ content: String(messages.at(-1)?.content) }),
])
const frames: string[] = []
const onEvent = (event: AgentEvent) => void frames.push(formatSSEEvent(event))
await using agent = createAgent({ llm, plugins: [shop], dataDir: 'library-data' })
const asked = await agent.chat('Refund 40', { sessionId: 's', onEvent })
if (asked.type !== 'confirm') throw new Error(asked.message)
console.log(asked.type, asked.action.type)
const { pendingConfirmation } = asked
console.log((await agent.chat('yes', { sessionId: 's', pendingConfirmation, onEvent })).message)
console.log(frames.at(-1)?.includes('event: completed') ? 'done' : frames.at(-1))
`

/** Types are inferred from zod and from JSON Schema, or this does not compile. */
const CONFIG = `
import { defineTool, type ToolContext } from '@parley/tools'
import { z } from 'zod'
import type { ServerOptions } from '@parley/server'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.string().transform(Number) }),
  run(input, context: ToolContext) {
    const isInferred: Same<typeof input, { a: number; b: number }> = true
    return isInferred && context.attempt > 0 ? { sum: input.a + input.b, pid: process.pid } : null
  },
})
const find = defineTool({
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: { text: { type: 'string' }, limit: { type: 'integer' } }, required: ['text'] },
  run({ text, limit }) {
    const areInferred: [Same<typeof text, string>, Same<typeof limit, number | undefined>] = [true, true]
    return areInferred
  },
})
export default { tools: [add, find] } satisfies ServerOptions
`

const APP = `
import { ChatKit, ChatKitBase, createChatStore, parley } from '@parley/chatkit'
import '@parley/chatkit/chatkit.css'
import { ChatView } from '@parley/agent-kit/chat'
import { BladeClientProvider, bootstrapBladeClient } from '@parley/agent-kit/react'
import { BladeClient } from '@parley/agent-kit/client'
import { ParleyClient as Client } from '@parley/client'
import '@parley/agent-kit/style.css'
import { reduce, type TurnProjection } from '@parley/protocol'
import { turnProjectionSchema } from '@parley/protocol/schemas'
import { createRoot } from 'react-dom/client'
export { ChatKitBase, createChatStore, createRoot, reduce, BladeClient, Client, type TurnProjection }
export const turn: TurnProjection = turnProjectionSchema.parse({})
const client = bootstrapBladeClient({ baseUrl: 'http://127.0.0.1:8020', token: 'x' })
export function App() {
  return (
    <BladeClientProvider client={client}>
      <ChatKit adapter={parley({ baseUrl: 'http://127.0.0.1:8020' })} token="x" />
      <ChatView theme="system" />
    </BladeClientProvider>
  )
}`

const execute = promisify(execFile)

/** In the folder of packages, unless it is done to the repository. */
async function run(
  file: string,
  args: string[],
  { cwd = folder, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  // Settings of the test runner and of npm around it are not what people have.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|npm_(?!config))/.test(name))
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  try {
    return await execute(file, args, { cwd, env: { ...Object.fromEntries(own), PATH, ...env }, maxBuffer: 1e8 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** A program of the repository's own packages. */
async function tool(name: string, args: string[]) {
  const home = join(root, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return run(process.execPath, [join(home, Object.values(bin)[0]!), ...args])
}

async function script(source: string) {
  await write('script.mjs', source)
  return run(process.execPath, ['script.mjs'])
}

async function write(name: string, content: unknown): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}

async function versionOf(name: string): Promise<string> {
  const file = join(root, 'node_modules', name, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}

function tarballOf(name: string): string {
  return join(
    folder,
    tarballs.find((file) => nameOf(file) === `@parley/${name}`)!,
  )
}

function nameOf(tarball: string): string {
  return `@parley/${/^parley-(.+)-\d+\.\d+\.\d+\.tgz$/.exec(tarball)![1]}`
}
