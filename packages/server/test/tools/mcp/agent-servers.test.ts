import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { AgentVersion } from '../../../src/agents/agent-version.ts'
import { AgentServers } from '../../../src/tools/mcp/agent-servers.ts'
import type { McpServersConfig } from '../../../src/tools/mcp/config.ts'
import { McpServers } from '../../../src/tools/mcp/mcp-servers.ts'
import { type Timers, systemTimers } from '../../../src/store/timers.ts'
import { clock, eventually, isAlive, Rig, smallServer } from './rig.ts'

test('[W12.13.12] a server of an agent runs while a run needs it, for all runs of the version, and ends some time after the last', async () => {
  await using small = await smallServer()
  await using world = await open()
  const version = agentWith({ small: small.config })
  expect(world.servers.tools(version)).toEqual([])

  const [one, two] = [world.servers.hold(version), world.servers.hold(version)]
  await world.servers.arrived(version)
  expect(world.names(version)).toContain('mcp__small__greet')
  expect(world.opened).toHaveLength(1)
  const pid = world.opened[0]!.pidOf('small')!
  one[Symbol.dispose]()
  expect(world.idle.size).toBe(0)
  two[Symbol.dispose]()
  world.passIdleTime()
  await eventually(() => !isAlive(pid))
  expect(world.servers.tools(version)).toEqual([])

  await world.servers.arrived(version)
  expect(world.names(version)).toContain('mcp__small__greet')
})

test('[W12.13.12] versions that say the same of a server behind a URL share it; a program belongs to its version', async () => {
  await using small = await smallServer()
  await using world = await open()
  const servers = { small: small.config, remote: { url: 'http://127.0.0.1:9/mcp' } }
  using _one = world.servers.hold(agentWith(servers, tmpdir()))
  using _two = world.servers.hold(agentWith(servers, import.meta.dirname))
  expect(world.opened.flatMap(({ counts }) => counts.map(({ name }) => name))).toEqual(['small', 'remote', 'small'])
})

test('[W12.13.12] what was agreed to of a server belongs to what its entry says, not to another agent with a tool of that name', async () => {
  await using small = await smallServer()
  await using other = await smallServer()
  await using world = await open()
  const [mine, theirs] = [agentWith({ small: small.config }), agentWith({ small: other.config })]
  await other.describe('Greets differently.')
  for (const version of [mine, theirs]) {
    await world.servers.arrived(version)
    expect(await world.greet(version)).toEqual({ result: 'Hello, you' })
  }
  expect(await world.rig.engine.select('SELECT name FROM tool_versions ORDER BY name', [])).toEqual(
    (await world.servers.listed())
      .map(({ name }) => ({ name }))
      .filter(({ name }) => name.startsWith('mcp__small__greet@'))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  )

  await small.describe('Greets, and tells everybody.')
  await world.call(mine, 'mcp__small__announce')
  await eventually(() => !world.names(mine).includes('mcp__small__greet'))
  expect(world.names(theirs)).toContain('mcp__small__greet')
  const blocked = (await world.servers.listed()).find(({ status }) => status === 'blocked')!
  await world.servers.approve(blocked.name, blocked.versions!.offered.digest, 'user_1')
  expect(await world.greet(mine)).toEqual({ result: 'Hello, you' })
})

test('[W12.13.12] a server that never starts is waited for once, for ten seconds after its start, and by its own agent alone', async () => {
  await using world = await open()
  const version = agentWith({ mute: { command: 'sleep', args: ['300'] } })
  const waiting = world.servers.arrived(version)
  expect(await Promise.race([waiting.then(() => 'arrived'), world.servers.arrived(agentWith({}))])).toBe(undefined)
  world.elapse(10_000)
  await waiting
  await world.servers.arrived(version)
  expect(world.names(version)).toEqual([])
})

function agentWith(mcpServers: McpServersConfig, directory = tmpdir()): AgentVersion {
  return {
    ...{ name: 'support', digest: 'x', directory, origin: null, instructions: null, settings: {}, policy: null },
    ...{ mcpServers, toolFiles: [], skills: null, files: [], work: directory, settingsFile: 'agent.yaml' },
    ...{ skillServers: {}, solution: null, role: null, localSkills: null, importedSkills: null },
  }
}

/** The servers of agents on a real database, with timers that the test moves. */
async function open() {
  const rig = await Rig.open({})
  const opened: McpServers[] = []
  const after = new Set<{ ms: number; work: () => void }>()
  const due = (least: number) => [...after].filter(({ ms }) => ms >= least)
  const elapse = (waiting: { work: () => void }[]) => waiting.forEach(({ work }) => work())
  let now = 0
  const timers: Timers = {
    ...systemTimers,
    elapsed: () => now,
    after(ms, work) {
      const one = { ms, work }
      if (ms === 0) work()
      else after.add(one)
      return { [Symbol.dispose]: () => void after.delete(one) }
    },
  }
  const { engine } = rig
  const servers = new AgentServers({
    timers,
    verify: async () => undefined,
    open(entry, { scope, beforeStart }) {
      const made = new McpServers({
        ...{
          servers: entry,
          scope,
          beforeStart,
          engine,
          clock,
          environment: process.env,
          leaseMs: 10_000,
          version: '0',
        },
        onWarning: (message) => rig.warnings.push(message),
        onDown: () => undefined,
        onCallFailed: () => undefined,
        onInfo: () => undefined,
      })
      opened.push(made)
      return made
    },
  })
  const call = async (version: AgentVersion, name: string) =>
    servers
      .tools(version)
      .find((tool) => tool.name === name)!
      .run({ who: 'you' }, rig.context())
  return {
    rig,
    servers,
    opened,
    idle: after,
    names: (version: AgentVersion) => servers.tools(version).map(({ name }) => name),
    call,
    greet: (version: AgentVersion) => call(version, 'mcp__small__greet'),
    passIdleTime: () => elapse(due(60_000)),
    elapse(ms: number) {
      now += ms
      elapse([...after].filter((one) => one.ms <= ms))
    },
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]()
      await rig[Symbol.asyncDispose]()
    },
  }
}
