import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FakeModel, type NodeProcess, startFakeModel, startNode } from '@parley/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../tools/mcp/rig.ts'
import { HOSTILE } from './hostile-schemas.ts'

const MAIN = join(import.meta.dirname, '../../bundle/main.js')
const worker = (name: string) => join(import.meta.dirname, 'workers', name)
const KEY = 'sk-foreign-0123456789012345678901234567'

/** Each of these stands the loop still for many seconds, most of them for ever, when it is done there. */
const LONGEST_PAUSE_MS = 3_000

let server: NodeProcess
let provider: FakeModel
let url: string
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-foreign-'))
  provider = await startFakeModel((request) => answers(request.question, request.messages.at(-1)?.role === 'tool'))
  const node = (list: string) => ({
    command: process.execPath,
    args: ['--conditions=parley-source', worker('hostile-server.ts'), list],
  })
  const config = { mcpServers: { hostile: node('schemas'), bottomless: node('deep') } }
  await writeFile(join(home, 'parley.config.json'), JSON.stringify(config))
  const env = {
    PARLEY_PORT: '0',
    PARLEY_DATA_DIR: join(home, 'data'),
    PARLEY_OWNER_KEY: KEY,
    PARLEY_MODEL_URL: provider.url,
    PARLEY_MODEL: 'fake',
    NODE_OPTIONS: `--import=${pathToFileURL(worker('longest-pause.ts')).href}`,
  }
  server = startNode(MAIN, [], { env, cwd: home })
  url = (await server.line(/listening on (http:\/\/[^"\s]+)/))[1]!
  await eventually(async () => (await tools()).length > 0, 30_000)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

/** `submit NAME`, `in N`, `out N`, or the name of a tool. */
function answers(question: string, isDone: boolean) {
  const [what, ...rest] = question.split(' ')
  const name = rest.join(' ')
  if (what === 'submit') return { calls: [{ name: 'submit_result', arguments: HOSTILE[name]!.value }] }
  if (isDone) return { text: 'Done' }
  if (what === 'call') return { calls: [{ name: `mcp__hostile__${name}`, arguments: {} }] }
  if (what === 'in') {
    const hostile = Object.values(HOSTILE)[Number(name)]!
    return { calls: [{ name: `mcp__hostile__in${name}`, arguments: hostile.value }] }
  }
  return { calls: [{ name: 'RenderChart', arguments: { option: CHARTS[name] } }] }
}

const CHARTS: Record<string, object> = {
  expression: {
    dataset: [
      {
        source: [
          ['x', 'y'],
          [`${'a'.repeat(40)}!`, 1],
        ],
      },
      { transform: { type: 'filter', config: { dimension: 'x', reg: '^(a+)+$' } } },
    ],
    xAxis: { type: 'category' },
    yAxis: {},
    series: [{ type: 'bar', datasetIndex: 1 }],
  },
  ticks: {
    xAxis: { type: 'value', min: 0, max: 1e9, interval: 0.5 },
    yAxis: {},
    series: [
      {
        type: 'line',
        data: [
          [0, 1],
          [1e9, 2],
        ],
      },
    ],
  },
}

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

async function tools(): Promise<{ name: string }[]> {
  const reply = await fetch(`${url}/api/tools`, { headers })
  return ((await reply.json()) as { items: { name: string; provider: string }[] }).items.filter(
    ({ provider: by }) => by === 'mcp',
  )
}

/** The whole of one headless exchange, and what its tools came to. */
async function chat(message: string, rest: object = {}) {
  const { body } = await post('/api/sessions', {})
  const session_id = String(body['session_id'])
  const answer = await post(`/api/sessions/${session_id}/chat`, { message, ...rest })
  const turns = await fetch(`${url}/api/sessions/${session_id}/messages`, { headers })
  const calls = ((await turns.json()) as { tool_calls: { status: string; result: unknown }[] }[]).flatMap(
    ({ tool_calls }) => tool_calls,
  )
  return { ...answer, calls }
}

async function longestPause(): Promise<number> {
  const before = server.lines.length
  server.signal('SIGUSR2')
  await server.line(/longest pause/)
  await expect.poll(() => server.lines.length).toBeGreaterThan(before)
  return Number(/longest pause (\d+)/.exec(server.lines.findLast((line) => line.includes('longest pause'))!)![1])
}

test.each(Object.keys(HOSTILE))('output_schema with %s never holds the server', async (name) => {
  const { status, body } = await chat(`submit ${name}`, { output_schema: HOSTILE[name]!.schema })
  expect([200, 422]).toContain(status)
  if (status === 422) expect(body['code']).toMatch(/^output_schema_(invalid|unsatisfied)$/)
  expect(await longestPause()).toBeLessThan(LONGEST_PAUSE_MS)
})

test('output_schema with a promise is refused, not believed', async () => {
  expect(await chat('submit a promise', { output_schema: HOSTILE['a promise']!.schema })).toMatchObject({
    status: 422,
    body: { code: 'output_schema_invalid' },
  })
})

test.each(Object.keys(HOSTILE).map((name, index) => [name, index] as const))(
  'an MCP tool that takes, or gives, %s never holds the server',
  async (_, index) => {
    for (const question of [`in ${index}`, `call out${index}`]) {
      const { status, calls } = await chat(question)
      expect(status).toBe(200)
      expect(calls).toMatchObject([{ status: expect.stringMatching(/^(done|error)$/) }])
    }
    expect(await longestPause()).toBeLessThan(LONGEST_PAUSE_MS)
  },
)

test.each(['deep', 'deepMeta'])('an MCP answer %s is an error that the model is told', async (name) => {
  const { status, calls } = await chat(`call ${name}`)
  expect(status).toBe(200)
  expect(calls).toMatchObject([{ status: 'error', result: expect.stringContaining('deeper than 100 levels') }])
})

test('a tool list that nests deep costs its own server only, a definition too long its own tool', async () => {
  const names = (await tools()).map(({ name }) => name)
  expect(names.some((name) => name.startsWith('mcp__bottomless'))).toBe(false)
  expect(names).not.toContain('mcp__hostile__huge')
  expect(names).toContain('mcp__hostile__deep')
})

test.each(Object.keys(CHARTS))('a chart with hostile %s holds nobody', async (name) => {
  const { status, calls } = await chat(`chart ${name}`)
  expect(status).toBe(200)
  expect(calls).toMatchObject([{ status: name === 'expression' ? 'error' : 'done' }])
  expect(await longestPause()).toBeLessThan(LONGEST_PAUSE_MS)
})

test('ordinary schemas are judged as ever, also after all that', async () => {
  const output_schema = { type: 'object', properties: { t: { type: 'string', pattern: '^a+!$' } }, required: ['t'] }
  expect(await chat('submit a pattern of nested repeats', { output_schema })).toMatchObject({ status: 200 })
  const other = { ...output_schema, properties: { t: { type: 'number' } } }
  expect(await chat('submit a pattern of nested repeats', { output_schema: other })).toMatchObject({
    status: 422,
    body: { code: 'output_schema_unsatisfied' },
  })
  process.stdout.write(`longest pause of the event loop: ${await longestPause()} ms\n`)
})
