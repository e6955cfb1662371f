import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { createAgent, type LLMChunk, LLMManager, type ModelPort, ScriptedModel } from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'

test('[S17] a provider answers, with the tools of the plugins', async () => {
  await using provider = await startFakeModel(({ results }) =>
    results.length === 0
      ? { calls: [{ name: 'get_boss_stats', arguments: { world: 'main' } }] }
      : { text: `It says ${results[0]}` },
  )
  const llm = { provider: 'openai-compatible' as const, url: provider.url, model: 'fake-model' }
  const boss = bossPlugin()
  await using agent = createAgent({ llm, plugins: [boss.plugin] })
  expect(await agent.chat('How many?')).toMatchObject({ message: expect.stringContaining('5 bosses') })
  expect(boss.executed).toHaveLength(1)
})

test('[S17] the port can be asked by itself, whole or in pieces', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hello there' }))
  await using llm = new LLMManager({ provider: 'openai-compatible', url: provider.url, model: 'fake-model' })
  const messages = [{ role: 'user' as const, content: 'hi' }]
  expect(await llm.generateWithTools('chat', messages, [])).toMatchObject({
    content: 'Hello there',
    finishReason: 'stop',
  })
  const chunks: LLMChunk[] = []
  await llm.generateWithToolsStream('chat', messages, [], (chunk) => chunks.push(chunk))
  expect(chunks.map((chunk) => (chunk.type === 'content' ? chunk.content : '')).join('')).toBe('Hello there')
  expect(chunks.at(-1)).toEqual({ type: 'done' })
})

test('[S17] a port without a stream answers whole; one that gives nonsense fails its run alone', async () => {
  const port: ModelPort = { generateWithTools: async () => ({ content: 'whole', finishReason: 'stop' }) }
  await using agent = createAgent({ llm: port })
  expect(await agent.chat('x')).toEqual({ type: 'execute', message: 'whole' })
  for (const nonsense of [
    undefined,
    null,
    7,
    'text',
    { content: 1, finishReason: 'no' },
    { content: '', toolCalls: 3 },
  ]) {
    const generateWithTools = async () => nonsense as never
    await using other = createAgent({ llm: { generateWithTools } })
    const response = await other.chat('x')
    expect(response.type).toBe('execute')
  }
})

test('[S17] an answer has a length, whatever the port says', async () => {
  const flood: ModelPort = {
    generateWithTools: async () => Promise.reject(new Error('unused')),
    // oxlint-disable-next-line max-params
    generateWithToolsStream: async (_task, _messages, _tools, onChunk, options) => {
      for (let n = 0; n < 10_000 && !options?.abortSignal?.aborted; n++) {
        onChunk({ type: 'content', content: 'x'.repeat(10_000) })
        if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return { content: '', finishReason: 'stop' }
    },
  }
  await using agent = createAgent({ llm: flood })
  const response = await agent.chat('x')
  expect(response.message.length).toBeLessThanOrEqual(2_000_000)
})

test('[S18.13] sessions side by side hear of nobody else', async () => {
  const llm = new ScriptedModel(
    Array.from({ length: 60 }, () => ({ messages }: { messages: readonly { content: string }[] }) => ({
      content: ['re: ', messages.at(-1)!.content],
    })),
  )
  await using agent = createAgent({ llm })
  const chats = Array.from({ length: 60 }, async (_each, n) => {
    const heard = new Set<string>()
    const response = await agent.chat(`m${n}`, { sessionId: `s${n}`, onEvent: (event) => heard.add(event.sessionId) })
    return { message: response.message, heard: [...heard] }
  })
  expect(await Promise.all(chats)).toEqual(chats.map((_each, n) => ({ message: `re: m${n}`, heard: [`s${n}`] })))
})
