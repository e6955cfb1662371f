import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentEvent, type AgentPlugin, createAgent, Retriever, ScriptedModel } from '@parley/agent'

const HANDBOOK = '# 员工手册\n\n## 年休假\n\n入职满一年的员工每年有五天年假，满十年的有十天。'
const REFUNDS = '# Billing\n\nAn annual plan is refunded in full within 30 days of the payment.'
const answers = (...said: string[]) => new ScriptedModel(said.map((content) => ({ content })))

test('[S15.1] [S17] a message is answered from what was added, the caller is told, and skipKnowledge looks nothing up', async () => {
  const llm = answers('五天 [1]', '不知道', 'Hi.')
  await using agent = createAgent({ llm })
  const { id } = await agent.addKnowledge(HANDBOOK, 'hr', '员工手册')
  const events: AgentEvent[] = []
  const onEvent = (event: AgentEvent) => void events.push(event)
  await agent.chat('请问年假有几天？', { sessionId: 's', onEvent })
  expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
    'processing_started',
    'knowledge_retrieved',
    'confirmation_check',
  ])
  expect(events[1]!.data).toMatchObject({
    ...{ documentCount: 1, categories: ['hr'] },
    documents: [{ id, title: '员工手册', category: 'hr' }],
  })
  expect(llm.requests[0]!.messages.at(-1)!.content).toMatch(/^请问年假有几天？[^]*<passage number="1"[^]*五天年假/)
  await agent.chat('年假有几天？', { sessionId: 'other', skipKnowledge: true, onEvent })
  expect(llm.requests[1]!.messages.at(-1)!.content).toBe('年假有几天？')
  await agent.chat('write a poem about autumn', { onEvent, skipKnowledge: false })
  expect(llm.requests[2]!.messages.at(-1)!.content).toBe('write a poem about autumn')
  expect(events.filter(({ type }) => type === 'knowledge_retrieved')).toHaveLength(1)
})

test('[S15.5] documents are added, read, changed, found, counted, deleted and cleared', async () => {
  await using agent = createAgent({ llm: answers() })
  const store = agent.knowledgeStore
  const { id } = await store.addDocument({
    category: 'billing',
    content: REFUNDS,
    title: 'Billing',
    metadata: { v: 1 },
  })
  await agent.addKnowledge(HANDBOOK, 'hr')
  const known = { id, category: 'billing', title: 'Billing', content: REFUNDS, metadata: { v: 1 } }
  expect(await store.getDocument(id)).toEqual({
    ...known,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  expect(await store.search('refund of an annual plan')).toMatchObject([
    { document: known, confidence: expect.stringMatching(/high|medium/), excerpt: expect.stringContaining('30 days') },
  ])
  expect(await store.search('refund of an annual plan', { category: 'hr' })).toEqual([])
  expect(await new Retriever(store).retrieve('年假几天')).toMatchObject([{ document: { category: 'hr' } }])
  expect(await store.listCategories()).toEqual([
    { name: 'billing', documentCount: 1 },
    { name: 'hr', documentCount: 1 },
  ])
  expect((await store.getDocumentsByCategory('hr')).map(({ content }) => content)).toEqual([HANDBOOK])
  expect([await store.getDocumentCount(), await store.getDocumentCount('hr')]).toEqual([2, 1])
  expect(await store.updateDocument(id, { content: 'Parcels leave at dusk.' })).toMatchObject({
    ...{ id, title: 'Billing', category: 'billing' },
  })
  expect(await store.search('refund of an annual plan')).toEqual([])
  expect(await store.deleteDocument(id)).toBe(true)
  expect([await store.deleteDocument(id), await store.getDocument(id)]).toEqual([false, undefined])
  await store.clear()
  expect(await store.getDocumentCount()).toBe(0)
  expect(await store.search('年假几天')).toEqual([])
})

test('[S15.5] what cannot be a document is a fault of the program, and one that is not there is not_found', async () => {
  await using agent = createAgent({ llm: answers() })
  await expect(agent.addKnowledge('', 'hr')).rejects.toThrow(TypeError)
  await expect(agent.addKnowledge(' \n', 'hr')).rejects.toThrow('content')
  await expect(agent.addKnowledge('text', '')).rejects.toThrow('category')
  const unknown = { category: 'hr', content: 'text', tags: [] }
  await expect(agent.knowledgeStore.addDocument(unknown)).rejects.toThrow('tags')
  await expect(agent.knowledgeStore.search('q', { topK: 51 })).rejects.toThrow('topK')
  await expect(agent.knowledgeStore.updateDocument('doc_none', { title: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await agent.close()
  await expect(agent.addKnowledge('text', 'hr')).rejects.toThrow('closed')
})

test('[S14] a tool has the documents as context.knowledgeBase; they outlive the agent in its directory', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-agent-knowledge-'))
  try {
    const plugin: AgentPlugin = {
      ...{ name: 'notes', version: '1.0.0', description: 'Notes' },
      tools: [
        {
          ...{ name: 'note', description: 'Keeps a note', parameters: [] },
          async execute(_args, { knowledgeBase }) {
            await knowledgeBase.addDocument({ category: 'notes', content: 'The vault opens with tangerine.' })
            return { success: true, content: String(await knowledgeBase.getDocumentCount('notes')) }
          },
        },
      ],
    }
    const llm = new ScriptedModel([{ toolCalls: [{ name: 'note', arguments: {} }] }, { content: 'Kept.' }])
    {
      await using agent = createAgent({ llm, plugins: [plugin], dataDir })
      expect(await agent.chat('Keep a note', {})).toMatchObject({ toolCalls: [{ result: { content: '1' } }] })
    }
    const later = answers('Tangerine [1].')
    await using agent = createAgent({ llm: later, dataDir })
    await agent.chat('Which word opens the vault?')
    expect(later.requests[0]!.messages.at(-1)!.content).toContain('tangerine')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
