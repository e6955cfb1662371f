import { type AddressInfo, createServer } from 'node:net'
import type { McpServerHealth, McpTest, Page } from '@parley/protocol/rest'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServerOptions } from '../../src/config/options.ts'
import { Folders } from '../agents/folders.ts'
import { mint } from '../auth/visitors.ts'
import { eventually, smallServer } from '../tools/mcp/rig.ts'
import { STORES, type Store, World } from './world.ts'

const SECRET = 'hunter2-and-a-half'
/** Says its secrets to stderr, in several forms, and dies. */
const LEAKY = `process.stderr.write('starting with ' + process.env.API_TOKEN + '\\n'); process.stderr.write('Bearer ' + process.argv[1] + ' was refused\\n', () => process.exit(1))`

describe.each(STORES)('on %s', (store) => {
  test('[W12.21.1] every MCP server is listed with its state; one that fails hides no other, and says why', async () => {
    await using small = await smallServer()
    await using world = await open(store, {
      small: small.config,
      gone: { command: 'no-such-program-anywhere' },
      remote: { url: `http://127.0.0.1:${await closedPort()}/mcp` },
    })
    const servers = await eventually(async () => {
      const found = await list(world)
      return found.every(({ state }) => state !== 'starting') && found
    })
    expect(servers.map(({ name, state, transport, agent }) => [name, state, transport, agent])).toEqual([
      ['small', 'ready', 'stdio', null],
      ['gone', 'failed', 'stdio', null],
      ['remote', 'failed', 'http', null],
    ])
    const [ready, gone, remote] = servers as [McpServerHealth, McpServerHealth, McpServerHealth]
    expect(ready).toMatchObject({ failure: null, retries: 0, next_try_at: null, blocked_tools: 0 })
    expect(ready.tools).toBeGreaterThan(0)
    expect(Date.parse(ready.last_success_at!)).toBeLessThanOrEqual(Date.now())
    expect(gone.failure).toMatchObject({
      code: 'command_not_found',
      reason: 'The command no-such-program-anywhere was not found on this server.',
    })
    expect(gone).toMatchObject({ tools: null, last_success_at: null })
    expect(gone.retries).toBeGreaterThan(0)
    expect(remote.failure).toMatchObject({ code: 'unreachable' })
    const inChinese = await list(world, { headers: { 'accept-language': 'zh-CN' } })
    expect(inChinese[1]!.failure!.reason).toBe('服务器上找不到命令 no-such-program-anywhere。')
  })

  test('[W12.21.2] no value that a server is configured with is told, and what its program said only to the owner', async () => {
    const env = { API_TOKEN: SECRET }
    await using world = await open(store, {
      leaky: { command: process.execPath, args: ['-e', LEAKY, '--', `--token=${SECRET}-too`], env },
      remote: { url: `http://127.0.0.1:9/mcp?key=${SECRET}`, headers: { authorization: `Bearer ${SECRET}` } },
    })
    const isDown = (servers: McpServerHealth[]) => servers.every(({ state }) => state === 'failed') && servers
    const [leaky] = await eventually(async () => isDown(await list(world)))
    expect(leaky!.failure).toMatchObject({ code: 'ended' })
    expect(leaky!.failure!.said).toEqual(['starting with [secret]', 'Bearer [secret] was refused'])
    const owners = JSON.stringify(await list(world))
    const strangers = JSON.stringify(await list(world, { token: world.strangersKey }))
    for (const told of [owners, strangers]) expect(told).not.toContain(SECRET)
    expect(strangers).not.toContain('"said"')
    expect(strangers).toContain('"reason"')
  })

  test('[W12.21.3] the owner tests a server and starts it again; nobody else does, and both are recorded', async () => {
    await using small = await smallServer()
    await using world = await open(store, { small: small.config, gone: { command: 'no-such-program-anywhere' } })
    await eventually(async () => (await list(world))[0]!.state === 'ready')
    const post = (path: string, token?: string) =>
      world.rest<McpTest & McpServerHealth>('POST', `/api/mcp-servers/${path}`, { body: {}, ...(token && { token }) })

    const fine = await post('small/test')
    expect(fine.body).toMatchObject({ ok: true, server: { name: 'small', state: 'ready' } })
    expect(fine.body.ms).toBeGreaterThanOrEqual(0)
    expect((await post('gone/test')).body).toMatchObject({
      ok: false,
      server: { state: 'failed', failure: { code: 'command_not_found' } },
    })
    const again = await post('small/restart')
    expect(again.body).toMatchObject({ name: 'small', state: 'ready', retries: 0, failure: null })

    const { token: visitor } = await mint(world, 'anna')
    for (const path of ['small/test', 'small/restart'])
      for (const token of [world.strangersKey, visitor]) expect((await post(path, token)).status).toBe(403)
    expect((await post('nobody/test')).status).toBe(404)
    expect((await world.rest('GET', '/api/mcp-servers', { token: visitor })).status).toBe(403)
    expect((await world.rest('POST', '/api/mcp-servers/small/test', { body: { force: true } })).status).toBe(422)
  })

  test('[W12.21.4] a server whose tool has changed is blocked until the owner agrees', async () => {
    await using small = await smallServer()
    await using world = await open(store, { small: small.config })
    world.learn({ greet: [{ calls: [{ name: 'mcp__small__greet', arguments: { who: 'you' } }] }, { text: 'Hi' }] })
    await eventually(async () => (await list(world))[0]!.state === 'ready')
    await using chat = await world.chat()
    await chat.run('greet')
    await small.describe('Greets, and tells everybody.')
    const { body } = await world.rest<McpServerHealth>('POST', '/api/mcp-servers/small/restart', { body: {} })
    expect(body).toMatchObject({ state: 'blocked', blocked_tools: 1 })
    const tools = await world.rest<Page<{ name: string; versions?: { offered: { digest: string } } }>>(
      'GET',
      '/api/tools',
    )
    const { digest } = tools.body.items.find(({ name }) => name === 'mcp__small__greet')!.versions!.offered
    await world.rest('POST', '/api/tools/mcp__small__greet/approve', { body: { digest } })
    expect(await list(world)).toMatchObject([{ state: 'ready', blocked_tools: 0 }])
  })

  test('[W12.21.5] an agent’s server is there on demand, and a test starts it', async () => {
    await using small = await smallServer()
    const agents = await Folders.make({
      'support/instructions.md': 'Be kind.',
      'support/mcp.json': JSON.stringify({ mcpServers: { helper: small.config } }),
    })
    onTestFinished(() => agents[Symbol.asyncDispose]())
    await using world = await World.open(store, { agentsDir: agents.path })
    const [asleep] = await list(world)
    expect(asleep).toMatchObject({ server: 'helper', agent: 'support', state: 'on_demand', tools: null })
    expect(asleep!.name).toMatch(/^helper@[0-9a-f]{12}$/)
    const path = `/api/mcp-servers/${encodeURIComponent(asleep!.name)}/test`
    const { body } = await world.rest<McpTest>('POST', path, { body: {} })
    expect(body).toMatchObject({ ok: true, server: { state: 'ready', agent: 'support' } })
  })
})

type Asked = Parameters<World['rest']>[2]

async function list(world: World, asked?: Asked): Promise<McpServerHealth[]> {
  return (await world.rest<Page<McpServerHealth>>('GET', '/api/mcp-servers', asked)).body.items
}

function open(store: Store, mcpServers: NonNullable<ServerOptions['mcpServers']>): Promise<World> {
  return World.open(store, { mcpServers })
}

/** Where nobody listens; fetch refuses the well-known ones by itself. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
