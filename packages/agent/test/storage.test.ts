import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startNode } from '@parley/testkit'
import { type AgentEvent, createAgent, ScriptedModel } from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'
import { payments } from './payments.ts'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

async function makeDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'parley-agent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('[S17] without a directory all is in memory: no file is made, and two agents know nothing of each other', async () => {
  const before = await readdir('.')
  await using one = createAgent({ llm: new ScriptedModel([{ content: '1' }]) })
  const second = new ScriptedModel([{ content: '2' }])
  await using two = createAgent({ llm: second })
  await one.chat('first', { sessionId: 's' })
  await two.chat('second', { sessionId: 's' })
  expect(second.requests[0]?.messages.map(({ content }) => content)).not.toContain('first')
  expect(await readdir('.')).toEqual(before)
})

test('[S9] a conversation goes on in the next agent over the same directory', async () => {
  await using directory = await makeDirectory()
  {
    await using agent = createAgent({ llm: new ScriptedModel([{ content: 'Hello, Ada.' }]), dataDir: directory.path })
    await agent.chat('I am Ada.', { sessionId: 's' })
  }
  expect(existsSync(join(directory.path, 'parley.sqlite'))).toBe(true)
  const llm = new ScriptedModel([{ content: 'Ada.' }])
  await using agent = createAgent({ llm, dataDir: directory.path })
  await agent.chat('Who am I?', { sessionId: 's' })
  expect(llm.requests[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user', content: 'Who am I?' },
  ])
})

test('[S2.0.5] [S17] of two agents over one directory one wins a session, the other is told that it is busy', async () => {
  await using directory = await makeDirectory()
  const gate = Promise.withResolvers<void>()
  const model = (name: string) => new ScriptedModel([{ content: name, before: gate.promise }], { name })
  const models = [model('one'), model('two')]
  await using one = createAgent({ llm: models[0]!, dataDir: directory.path })
  await using two = createAgent({ llm: models[1]!, dataDir: directory.path })
  const told: AgentEvent[] = []
  const onEvent = (event: AgentEvent) => {
    told.push(event)
    if (event.type === 'error') gate.resolve()
  }
  const answers = await Promise.all([
    one.chat('me first', { sessionId: 's', onEvent }),
    two.chat('no, me', { sessionId: 's', onEvent }),
  ])
  const busy = answers.filter((answer) => answer.type === 'execute' && answer.data !== undefined)
  expect(busy).toEqual([expect.objectContaining({ data: { error: true, code: 'SESSION_BUSY', recoverable: true } })])
  expect(models.reduce((sum, { calls }) => sum + calls, 0)).toBe(1)
})

test('[S17] agents over one directory have their own tools and models', async () => {
  await using directory = await makeDirectory()
  const names = new ScriptedModel([({ tools }) => ({ content: tools.map((tool) => tool.function.name).join() })])
  await using one = createAgent({ llm: names, dataDir: directory.path, plugins: [bossPlugin().plugin] })
  await using two = createAgent({ llm: new ScriptedModel([{ content: 'two' }]), dataDir: directory.path })
  expect(await one.chat('tools?')).toMatchObject({ message: 'get_boss_stats,delete_boss_config' })
  expect(await two.chat('tools?')).toMatchObject({ message: 'two' })
  await one.close()
})

test('[S2.0.5] the same message again is the same run, also for another agent', async () => {
  await using directory = await makeDirectory()
  const same = { sessionId: 's', messageId: 'm' }
  await using one = createAgent({ llm: new ScriptedModel([{ content: 'once' }]), dataDir: directory.path })
  const other = new ScriptedModel([{ content: 'twice' }])
  await using two = createAgent({ llm: other, dataDir: directory.path })
  expect(await one.chat('x', same)).toEqual(await two.chat('x', same))
  expect(other.calls).toBe(0)
})

test('[D3] what a killed process had begun is reported as unknown by the next one, and not done again', async () => {
  await using directory = await makeDirectory()
  await using worker = startNode(join(import.meta.dirname, 'workers/paying.ts'), [directory.path])
  await worker.line(/^paying/)
  const meanwhile = createAgent({ llm: new ScriptedModel([]), dataDir: directory.path, logger: quiet })
  expect(await meanwhile.chat('x')).toMatchObject({ data: { error: true, code: 'DATABASE_ERROR' } })
  await meanwhile.close()
  worker.signal('SIGKILL')
  await worker.exited

  let paid = 0
  const llm = new ScriptedModel([({ messages }) => ({ content: `It says: ${messages.at(-1)!.content}` })])
  const pay = payments(async () => ({ success: true, content: `${++paid}` }))
  await using agent = createAgent({ llm, dataDir: directory.path, plugins: [pay] })
  const events: AgentEvent[] = []
  const onEvent = (event: AgentEvent) => void events.push(event)
  const response = await agent.chat('Pay 40.', { sessionId: 'shop', messageId: 'pay-1', onEvent })
  expect(response.message).toMatch(/^It says: outcome unknown/)
  expect(events.filter(({ type }) => type === 'tool_error')).toHaveLength(1)
  expect(events.at(-1)?.type).toBe('completed')
  expect(paid).toBe(0)
  expect(llm.requests[0]?.messages.slice(1, 3)).toMatchObject([
    { role: 'user', content: 'Pay 40.' },
    { role: 'assistant', content: 'Paying.', toolCalls: [{ name: 'pay', arguments: { euros: 40 } }] },
  ])
})

test('[S12] an agent that is closed under a run says so at once, and the next one carries it on', async () => {
  await using directory = await makeDirectory()
  const asked = Promise.withResolvers<void>()
  const stuck = new ScriptedModel([
    () => {
      asked.resolve()
      return { content: ['正在'], after: new Promise(() => {}) }
    },
  ])
  const same = { sessionId: 's', messageId: 'm' }
  const first = createAgent({ llm: stuck, dataDir: directory.path, logger: quiet })
  const answer = first.chat('x', same)
  await asked.promise
  await first.close()
  expect(await answer).toMatchObject({ data: { cancelled: true, reason: 'server_shutdown' } })
  await using second = createAgent({ llm: new ScriptedModel([{ content: 'there' }]), dataDir: directory.path })
  expect(await second.chat('x', same)).toMatchObject({ type: 'execute', message: 'there' })
})
