import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentPlugin, createAgent, ScriptedModel } from '@parley/agent'

// An agent that is closed at a bad moment, or that cannot be closed well, leaves nothing open behind it.

const llm = () => new ScriptedModel([{ content: 'ok' }])
const plugin = (name: string, more: Partial<AgentPlugin>): AgentPlugin => ({
  ...{ name, version: '1', description: name, tools: [] },
  ...more,
})

test('[S17] an agent that is closed before its first message began opens nothing any more', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-closing-'))
  const agent = createAgent({ llm: llm(), dataDir })
  const chat = agent.chat('x')
  const refused = expect(chat).rejects.toThrow('closed')
  await agent.close()
  await refused
  expect(await readdir(dataDir)).toEqual([])
  await rm(dataDir, { recursive: true, force: true })
})

test('[S14] [S17] plugins that are being loaded when their agent is closed are cleaned up, and no more are loaded', async () => {
  const log: string[] = []
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const logging = (name: string) =>
    plugin(name, {
      initialize: () => {
        log.push(`initialize ${name}`)
        begun.resolve()
        return gate.promise
      },
      cleanup: () => void log.push(`cleanup ${name}`),
    })
  const agent = createAgent({ llm: llm(), plugins: [logging('a'), logging('b')] })
  await begun.promise
  const closed = agent.close()
  gate.resolve()
  await closed
  expect(log).toEqual(['initialize a', 'cleanup a'])
  expect(agent.listPlugins()).toEqual([])
  await expect(agent.loadPlugin(logging('c'))).rejects.toThrow('closed')
})

test('[S14] a plugin that cannot be cleaned up keeps no other from it, and is told', async () => {
  const log: string[] = []
  const logging = (name: string, fails = false) =>
    plugin(name, {
      cleanup() {
        log.push(`cleanup ${name}`)
        if (fails) throw new Error('stuck')
      },
      onUnload: () => void log.push(`unload ${name}`),
    })
  const agent = createAgent({ llm: llm(), plugins: [logging('a'), logging('b', true), logging('c')] })
  await agent.open()
  await expect(agent.close()).rejects.toThrow('stuck')
  expect(log).toEqual(['cleanup c', 'unload c', 'cleanup b', 'unload b', 'cleanup a', 'unload a'])
})

test('[S14] the methods of a plugin know whose they are', async () => {
  class Checked implements AgentPlugin {
    name = 'checked'
    version = '1'
    description = 'Checks itself'
    tools = []
    readonly #isWell = true
    healthCheck() {
      return this.#isWell
    }
  }
  await using agent = createAgent({ llm: llm(), plugins: [new Checked()] })
  await agent.open()
  expect(await agent.pluginManager.checkHealth()).toEqual({ checked: true })
})

test('[S17] an onEvent that fails later is logged, and ends neither the chat nor the process', async () => {
  const logged: unknown[] = []
  const quiet = { debug: () => {}, info: () => {}, warn: () => {} }
  const logger = { ...quiet, error: (_message: string, error: unknown) => void logged.push(error) }
  await using agent = createAgent({ llm: llm(), logger })
  const mine = new Error('mine')
  expect(await agent.chat('x', { onEvent: () => Promise.reject(mine) as never })).toMatchObject({ message: 'ok' })
  await expect.poll(() => logged[0]).toBe(mine)
})

test.each([
  [{ history: [null] }, 'history[0]'],
  [{ history: [{ role: 'user', content: 'x', timestamp: new Date(NaN) }] }, 'timestamp'],
  [{ history: [{ role: 'user', content: 'x', timestamp: 5 }] }, 'timestamp'],
  [{ pendingConfirmation: null }, 'pendingConfirmation'],
  [{ pendingConfirmation: { toolName: 'a', arguments: null, userMessage: 'x', timestamp: '2024-01-01' } }, 'chat gave'],
])('[S17] options that cannot be meant are a TypeError that names them: %#', async (options, name) => {
  await using agent = createAgent({ llm: llm() })
  const refusal = await agent.chat('x', options as never).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(TypeError)
  expect((refusal as Error).message).toContain(name)
})
