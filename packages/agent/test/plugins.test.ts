import { expect, test } from 'vitest'
import { type AgentPlugin, createAgent, PluginManager, ScriptedModel, type Tool } from '@parley/agent'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const manager = () => new PluginManager({ logger: quiet })
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}`,
  parameters: [],
  execute: async () => ({ success: true, content: name }),
  ...more,
})
const plugin = (name: string, more: Partial<AgentPlugin> = {}): AgentPlugin => ({
  ...{ name, version: '1.0.0', description: name, tools: [tool(`${name}_do`)] },
  ...more,
})

test('[S14] plugins are loaded, found, listed and unloaded, with their tools', async () => {
  const plugins = manager()
  const one = plugin('one', { namespace: 'ns', tools: [tool('look'), tool('touch')] })
  await plugins.loadPlugin(one)
  expect(plugins.listPlugins()).toEqual([one])
  expect(plugins.getPlugin('one')).toBe(one)
  expect(plugins.listTools().map(({ name }) => name)).toEqual(['ns_look', 'ns_touch'])
  expect(plugins.getTool('ns_look')?.description).toBe('Does look')
  expect(plugins.getToolDefinitions()[0]).toEqual({
    type: 'function',
    function: {
      name: 'ns_look',
      description: 'Does look',
      parameters: { type: 'object', properties: {}, required: [] },
    },
  })
  await plugins.unloadPlugin('one')
  expect(plugins.listPlugins()).toEqual([])
  expect(plugins.getTool('ns_look')).toBeUndefined()
})

test('[S14] a duplicate, a missing dependency and a name conflict are errors, and change nothing', async () => {
  const plugins = manager()
  await plugins.loadPlugin(plugin('one', { tools: [tool('same')] }))
  await expect(plugins.loadPlugin(plugin('one'))).rejects.toMatchObject({ code: 'DUPLICATE_PLUGIN' })
  await expect(plugins.loadPlugin(plugin('two', { dependencies: ['three'] }))).rejects.toMatchObject({
    code: 'MISSING_DEPENDENCY',
    message: expect.stringContaining('three'),
  })
  await expect(plugins.loadPlugin(plugin('four', { tools: [tool('new'), tool('same')] }))).rejects.toMatchObject({
    code: 'NAME_CONFLICT',
  })
  await expect(plugins.loadPlugin(plugin('five', { tools: [tool('twice'), tool('twice')] }))).rejects.toMatchObject({
    code: 'NAME_CONFLICT',
  })
  expect(plugins.listTools().map(({ name }) => name)).toEqual(['same'])
})

test('[S14] a plugin that another one needs stays until that one is gone', async () => {
  const plugins = manager()
  await plugins.loadPlugin(plugin('base'))
  await plugins.loadPlugin(plugin('top', { dependencies: ['base'] }))
  await expect(plugins.unloadPlugin('base')).rejects.toMatchObject({ code: 'IN_USE' })
  await plugins.unloadPlugin('top')
  await plugins.unloadPlugin('base')
  await expect(plugins.unloadPlugin('base')).rejects.toMatchObject({ code: 'NOT_LOADED' })
})

test('[S14] a failed initialize leaves nothing registered; of two loads at once one is the duplicate', async () => {
  const plugins = manager()
  const fails = plugin('fails', { initialize: async () => Promise.reject(new Error('no database')) })
  await expect(plugins.loadPlugin(fails)).rejects.toMatchObject({
    code: 'INITIALIZE_FAILED',
    message: expect.stringContaining('no database'),
  })
  expect(plugins.listPlugins()).toEqual([])
  expect(plugins.listTools()).toEqual([])
  const both = await Promise.allSettled([plugins.loadPlugin(plugin('one')), plugins.loadPlugin(plugin('one'))])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test.each([
  [tool('1st'), 'name: a letter'],
  [tool('x'.repeat(65)), '64 at most'],
  [tool('AskUserQuestion'), 'is taken'],
  [tool('x', { description: '' }), 'description'],
  [tool('x', { execute: undefined as never }), 'execute'],
  [tool('x', { parameters: [{ name: 'a', type: 'date' as never, description: '', required: true }] }), 'a.type'],
  [tool('x', { riskLevel: 'extreme' as never }), 'riskLevel'],
])('[S14] a tool that is none is refused by name: %j', async (wrong, message) => {
  await expect(manager().loadPlugin(plugin('p', { tools: [wrong] }))).rejects.toThrow(message)
})

test('[S14] what a plugin starts, it ends: its own calls are made in order', async () => {
  const said: string[] = []
  const one = plugin('one', {
    initialize: () => void said.push('initialize'),
    onLoad: () => void said.push('onLoad'),
    cleanup: () => void said.push('cleanup'),
    onUnload: () => void said.push('onUnload'),
    healthCheck: () => false,
  })
  const agent = createAgent({ llm: new ScriptedModel([]), plugins: [one] })
  await agent.loadPlugin(plugin('two'))
  expect(agent.listPlugins().map(({ name }) => name)).toEqual(['one', 'two'])
  expect(await agent.pluginManager.checkHealth()).toEqual({ one: false, two: true })
  await agent.close()
  expect(said).toEqual(['initialize', 'onLoad', 'cleanup', 'onUnload'])
})

test('[S14] a plugin may come and go between two messages', async () => {
  const llm = new ScriptedModel([
    ({ tools }) => ({ content: tools.map((one) => one.function.name).join() }),
    ({ tools }) => ({ content: tools.map((one) => one.function.name).join() || 'none' }),
  ])
  await using agent = createAgent({ llm })
  await agent.loadPlugin(plugin('one'))
  expect(await agent.chat('1', { sessionId: 's' })).toMatchObject({ message: 'one_do' })
  await agent.unloadPlugin('one')
  expect(await agent.chat('2', { sessionId: 's' })).toMatchObject({ message: 'none' })
})
