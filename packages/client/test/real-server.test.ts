/** The client against the server as people start it: a process of its own, with the demo model. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentSessionState, ParleyClient } from '@parley/client'
import { textOf } from '@parley/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeProcess, startNode, startTcpProxy, type TcpProxy } from '../../testkit/src/index.ts'
import { startDeafProxy } from './deaf-proxy.ts'
import { fastClient, idle, until } from './fast-client.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-the-client'
const main = join(import.meta.dirname, '../../server/src/main.ts')
let folder: string
let server: NodeProcess
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-client-'))
  server = startNode(main, [], {
    env: {
      PARLEY_DATA_DIR: folder,
      PARLEY_PORT: '0',
      PARLEY_OWNER_KEY: KEY,
      PARLEY_LOG_LEVEL: 'info',
    },
  })
  url = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The scripted answer is slow enough to be interrupted. */
const SLOW = 'Answer slowly, so that I can stop you'

async function proxied(): Promise<AsyncDisposable & { proxy: TcpProxy; client: ParleyClient }> {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const client = fastClient(`http://127.0.0.1:${proxy.port}`, KEY)
  return { proxy, client, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

test('[W10.1] text streams, and the folded turns equal the stored ones', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create({ intent: 'text' })
  await session.ready()
  let increments = 0
  session.on('turn:patch', ({ patch_type }) => (increments += patch_type === 'add_content' ? 1 : 0))
  await session.send('hello')
  const { turns } = await until(session, idle)
  expect(turns).toEqual(await client.sessions.getSessionTurns(session.id))
  expect(textOf(turns.at(-1)!)).toContain('demo model')
  expect(increments).toBeGreaterThan(5)
})

test('[W12.5] [W12.6] a session is shared, exported and imported', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create({ intent: 'to go' })
  await session.send('hello')
  const { turns } = await until(session, idle)
  const share = await client.sessions.share(session.id, { ttl_seconds: 60 })
  expect((await fetch(share.url)).status).toBe(200)
  expect(await client.sessions.listShares(session.id)).toMatchObject([{ id: share.id }])
  await client.sessions.unshare(session.id, share.id)
  expect((await fetch(share.url)).status).toBe(404)
  const second = await client.sessions.share(session.id)
  await client.sessions.unshare(session.id)
  expect((await fetch(second.url)).status).toBe(404)

  const archive = await (await client.sessions.export(session.id)).blob()
  expect(await client.sessions.previewImport(archive)).toMatchObject({ intent: 'to go', turn_count: turns.length })
  const made = await client.sessions.import(archive, { name: 'back again' })
  expect(made).toMatchObject({ intent: 'back again', warnings: [] })
  const texts = (await client.sessions.getSessionTurns(made.id)).map(textOf)
  expect(texts).toEqual(turns.map(textOf))
  const markdown = await (await client.sessions.export(session.id, { format: 'markdown' })).text()
  expect(markdown).toMatch(/^# to go\n/)
  await expect(client.sessions.export('sess_none')).rejects.toMatchObject({ code: 'session_not_found' })
  const changed = await client.sessions.setEnvironment(session.id, { KEY: 'value' })
  expect(changed.session_setup.env_keys).toEqual(['KEY'])
})

test('[W10.5] a question is answered and the run goes on', async () => {
  using session = await fastClient(url, KEY).sessions.create()
  await session.send('Ask me a question')
  const { questions } = await until(session, ({ status }) => status === 'waiting_for_input')
  await session.answer({ tool_call_id: questions.at(0)!.tool_call_id, selections: { 0: [0], 1: [0, 2] }, custom: {} })
  const { turns, status } = await until(session, idle)
  expect([status, textOf(turns.at(-1)!)]).toEqual(['completed', expect.stringContaining('staging')])
})

test('[W10.7] a sub-agent’s question is answered', async () => {
  using session = await fastClient(url, KEY).sessions.create()
  await session.send('Let a sub-agent ask me something')
  const { questions } = await until(session, ({ status }) => status === 'waiting_for_input')
  expect(questions.at(0)?.loop_id).toMatch(/^agent:/)
  await session.answer({ tool_call_id: questions.at(0)!.tool_call_id, selections: { 0: [1] }, custom: {} })
  const { turns } = await until(session, idle)
  expect(turns.some(({ parent_fork_tool_call_id }) => parent_fork_tool_call_id !== null)).toBe(true)
  expect(textOf(turns.at(-1)!)).toContain('production')
})

test('[W10.8] stop ends the run within two seconds', async () => {
  using session = await fastClient(url, KEY).sessions.create()
  await session.send(SLOW)
  await until(session, ({ turns }) => textOf(turns.at(-1) ?? { blocks: [] }).length > 0)
  const started = performance.now()
  await session.stop()
  expect(await until(session, idle)).toMatchObject({ status: 'interrupted' })
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('[W10.12] headless.run returns text, with a schema an object', async () => {
  const { headless } = fastClient(url, KEY)
  expect(await headless.run('hello')).toContain('demo model')
  const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
  expect(await headless.run('hello', { schema })).toEqual({ answer: expect.any(String) })
})

test('[W10.15] cut again and again while an answer streams, the state ends equal to the history', async () => {
  await using connected = await proxied()
  const { proxy, client } = connected
  using session = await client.sessions.create()
  await session.ready()
  const told: number[] = []
  let cuts = 0
  session.on('turn:patch', ({ event_seq }) => {
    told.push(event_seq)
    if (told.length % 5 !== 0) return
    cuts += 1
    proxy.cut()
  })
  await session.send('Write a long answer with headings, a table and code')
  await until(session, (state) => idle(state) && state.status === 'completed')
  expect(session.getState().turns).toEqual(await client.sessions.getSessionTurns(session.id))
  expect(told).toEqual([...new Set(told)].sort((a, b) => a - b))
  expect(cuts).toBeGreaterThan(5)
})

test('[W10.15] a lost acknowledgement does not start a second run', async () => {
  await using proxy = await startDeafProxy(Number(new URL(url).port))
  using session = await fastClient(proxy.url, KEY).sessions.create()
  await session.ready()
  using witness = fastClient(url, KEY).sessions.connect(session.id)
  await witness.ready()

  proxy.isDeaf = true
  const sent = session.send('hello')
  const { runId } = await until(witness, ({ isStreaming }) => isStreaming)
  proxy.isDeaf = false
  proxy.cut()
  expect(await sent).toMatchObject({ run_id: runId })
  const { turns } = await until(session, (state) => idle(state) && state.turns.length >= 2)
  expect(turns.filter(({ role }) => role === 'user')).toHaveLength(1)
})

test('[W11.5] a revoked key stops a live session within seconds', async () => {
  const owner = new ParleyClient({ baseUrl: url, token: KEY })
  const { key, plaintext } = await owner.apiKeys.createApiKey('short-lived')
  using session = await fastClient(url, plaintext).sessions.create()
  await session.ready()
  await owner.apiKeys.deleteApiKey(key.id)
  await until(session, ({ connection }) => connection === 'refused')
  await expect(session.send('hello')).rejects.toMatchObject({ code: 'unauthorized' })
})

test('[W14.1] sessions are listed, renamed and deleted', async () => {
  const { sessions } = fastClient(url, KEY)
  const { session_id } = await sessions.createSession('first title')
  expect(await sessions.updateSession(session_id, { intent: 'second title' })).toMatchObject({ intent: 'second title' })
  expect((await sessions.listSessionsPaginated({ q: 'second title' })).items).toMatchObject([{ id: session_id }])
  await sessions.deleteSession(session_id)
  await expect(sessions.getSession(session_id)).rejects.toMatchObject({ status: 404 })
})

test('`language` is that of what the server says, over REST and on the socket; a getter is asked each time', async () => {
  let language = 'en'
  const client = new ParleyClient({ baseUrl: url, token: KEY, language: () => language })
  await expect(client.sessions.getSession('none')).rejects.toThrow('There is no session none.')
  using session = await client.sessions.create()
  await session.send('List the files in the workspace')
  const { turns } = await until(session, idle)
  expect(turns.flatMap(({ tool_calls }) => tool_calls)[0]).toMatchObject({ display_name: 'Find files' })
  language = 'zh-CN'
  await expect(client.sessions.getSession('none')).rejects.toThrow('没有会话 none。')
  const stored = await client.sessions.getSessionTurns(session.id)
  expect(stored.flatMap(({ tool_calls }) => tool_calls)[0]).toMatchObject({ display_name: '查找文件' })
})

// Last: it looks back at everything that was sent above.
test('[W0] our own client sends no field that the server does not know', () => {
  expect(server.lines.filter((line) => line.includes('was ignored'))).toEqual([])
})

test('a visitor whose token ends in mid-answer comes back with another one and misses nothing', async () => {
  const shop = new ParleyClient({ baseUrl: url, token: KEY })
  const made: string[] = []
  const visitor = fastClient(url, async () => {
    const { id, token } = await shop.auth.createToken({ subject: 'anna' })
    made.push(id)
    return token
  })
  using session = await visitor.sessions.create()
  await session.ready()
  const starts: unknown[] = []
  session.on('chat:start', (payload) => starts.push(payload))
  await session.send(SLOW)
  const length = ({ turns }: AgentSessionState) => (turns.length > 1 ? textOf(turns.at(-1)!).length : 0)
  await until(session, (state) => length(state) > 20)
  await shop.auth.revokeToken(made[0]!)
  await until(session, ({ connection }) => connection === 'reconnecting')
  const before = length(session.getState())
  await until(session, (state) => length(state) > before + 50)
  await session.stop()
  const { turns } = await until(session, idle)
  expect(turns).toEqual(await visitor.sessions.getSessionTurns(session.id))
  expect([starts.length, made.length]).toEqual([1, 2])
  expect((await shop.sessions.listSessions()).map(({ id }) => id)).not.toContain(session.id)
})

test('[W11.7] usage and the audit log are read with the client', async () => {
  const { ledger } = fastClient(url, KEY)
  const report = await ledger.usage({ by: 'outcome', bucket: 'hour', timezone: 'Asia/Shanghai' })
  expect(report).toMatchObject({ by: 'outcome', bucket: 'hour', timezone: 'Asia/Shanghai', currency: 'USD' })
  const page = await ledger.audit({ limit: 1 })
  expect(page.items).toHaveLength(1)
  const next = await ledger.audit({ limit: 1, before: page.next_before! })
  expect(next.items[0]!.id).toBeLessThan(page.items[0]!.id)
})

test('[W11.6] scheduled tasks are made, changed, run, listed and deleted', async () => {
  const { scheduledTasks: tasks } = fastClient(url, KEY)
  const { id } = await tasks.create({ title: 'Report', prompt: 'Say hello', cron: '0 9 * * 1-5', timezone: 'UTC' })
  expect(await tasks.update(id, { title: 'Weekly' })).toMatchObject({ id, title: 'Weekly', enabled: true })
  expect(await tasks.stop(id)).toMatchObject({ enabled: false, next_run_at: null })
  expect(await tasks.start(id)).toMatchObject({ enabled: true })
  expect(await tasks.get(id)).toEqual((await tasks.list()).find((task) => task.id === id))
  const calendar = await tasks.calendar({ from: '2095-01-03', to: '2095-01-04' })
  expect(calendar).toMatchObject([{ task_id: id, occurrences: ['2095-01-03T09:00:00.000Z'] }])
  const run = await tasks.run(id)
  const [last] = await tasks.runs(id, { limit: 1 })
  expect(last).toMatchObject({ id: run.id, task_id: id, session_id: run.session_id })
  await tasks.delete(id)
  await expect(tasks.get(id)).rejects.toMatchObject({ status: 404 })
})

test('[W11.4] memories are made, listed, changed and deleted, and come back in a session that has them on', async () => {
  const client = fastClient(url, KEY)
  const made = await client.memories.create({ content: 'My favourite bird is the wren' })
  expect(await client.memories.create({ content: 'my favourite bird is the wren.' })).toMatchObject({
    id: made.id,
  })
  using session = await client.sessions.create()
  await session.send('Which is my favourite bird?')
  const { turns } = await until(session, idle)
  expect(turns.at(-1)!.memory_refs).toMatchObject([{ id: made.id }])
  await client.memories.setEnabled(session.id, false)
  await session.send('Which bird is my favourite?')
  expect((await until(session, idle)).turns.at(-1)!.memory_refs).toBeNull()
  expect(await client.memories.update(made.id, { topic: 'birds' })).toMatchObject({ topic: 'birds' })
  expect(await client.memories.setDisabled(made.id, true)).toMatchObject({ disabled: true })
  expect(await client.memories.change({ action: 'enable', ids: [made.id] })).toBe(1)
  expect(await client.memories.get(made.id)).toMatchObject({ hit_count: 1, disabled: false })
  expect(await client.memories.list({ keyword: 'wren' })).toMatchObject({ total: 1 })
  await client.memories.delete(made.id)
  expect((await client.memories.list()).items.filter(({ id }) => id === made.id)).toEqual([])
})
