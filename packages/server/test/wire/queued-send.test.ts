import type { Memory } from '@parley/protocol/rest'
import type { FakeRequest } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { open } from '../agent-sse/sse.ts'
import { addDocument } from '../knowledge/documents-of.ts'
import type { Chat, SendAck } from './chat.ts'
import { sharedWorld, STORES } from './world.ts'

const LONG = 'word '.repeat(80)
const isSummary = ({ question }: FakeRequest) => question.includes('<record>')

describe.each(STORES)('[W10.11] a message that waits for a compaction, on %s', (store) => {
  const world = sharedWorld(store, { suggestions: false })

  /** A session that is being compacted until `go` is called. */
  async function compacting(name: string, questions: string[] = []) {
    const summary = Promise.withResolvers<void>()
    const said = ['one', 'two', 'three'].map((nth) => `${name} ${nth}. ${LONG}`)
    world().learn(Object.fromEntries([...said, ...questions].map((question) => [question, [{ text: `Yes. ${LONG}` }]])))
    const chat = await world().chat()
    for (const question of said) await chat.run(question)
    const asked = world().provider.requests.filter(isSummary).length
    world().provider.add({ text: `Of ${name} they spoke.`, until: summary.promise })
    const compact = chat.client.ask('chat:compact', { session_id: chat.session_id })
    // Not every test waits for it.
    compact.catch(() => undefined)
    await expect.poll(() => world().provider.requests.filter(isSummary).length).toBe(asked + 1)
    return { chat, compact, go: summary.resolve, [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose]() }
  }
  const stop = ({ client, session_id }: Chat, run_id?: string) => client.ask('chat:stop', { session_id, run_id })
  const queued = async (chat: Chat, message: string, rest: object = {}): Promise<SendAck> => {
    const ack = await chat.send(message, rest)
    expect(ack).toMatchObject({ status: 'ok', queued: true })
    return ack
  }
  const compactionsOf = async (chat: Chat) => (await chat.messages()).filter(({ kind }) => kind === 'compaction')

  test('[W5.4] a stop that names it takes it back: its run ends as stopped, the compaction goes on, another one may wait', async () => {
    await using held = await compacting('back', ['back four'])
    const { chat, compact, go } = held
    const from = chat.received.length
    const ack = await queued(chat, 'never said', { client_message_id: 'b1' })
    expect(await stop(chat, 'chat_nobody')).toMatchObject({ status: 'ok', message: 'not_running' })
    expect(await stop(chat, ack.run_id)).toMatchObject({ status: 'ok', message: null })
    const { end, trace } = await chat.ended(ack, from)
    expect(trace).toEqual(['chat:start', 'chat:end interrupted/interrupted'])
    expect(end).toMatchObject({ run_id: ack.run_id, result: null, finish_reason: null, error: null })
    expect((await chat.session()).status).toBe('interrupted')
    expect(await stop(chat, ack.run_id)).toMatchObject({ message: 'not_running' })
    // The same message again is the same message; another one finds the place free.
    expect(await chat.send('never said', { client_message_id: 'b1' })).toMatchObject({ run_id: ack.run_id })
    const next = await queued(chat, 'back four')
    go()
    expect(await compact).toMatchObject({ status: 'ok' })
    expect((await chat.ended(next)).end.status).toBe('completed')
    expect(await compactionsOf(chat)).toMatchObject([{ status: 'completed' }])
    expect(JSON.stringify(await chat.messages())).not.toContain('never said')
    expect(JSON.stringify(world().provider.requests.at(-1)!.body)).not.toContain('never said')
    expect(chat.fold().turns).toMatchObject((await chat.messages()).map(({ turn_id, status }) => ({ turn_id, status })))
  })

  test('[W5.4] a stop of the session takes it back and fails the compaction: nothing begins after a stop', async () => {
    await using held = await compacting('both')
    const { chat, compact } = held
    const ack = await queued(chat, 'never begun')
    expect(await stop(chat)).toMatchObject({ status: 'ok', message: null })
    expect((await chat.ended(ack)).end).toMatchObject({ status: 'interrupted' })
    expect(await compact).toMatchObject({ status: 'error', code: 'compaction_failed' })
    expect(await compactionsOf(chat)).toMatchObject([{ status: 'failed', failure_reason: 'stopped' }])
    expect(await stop(chat)).toMatchObject({ message: 'not_running' })
    expect(world().requests('never begun')).toEqual([])
    expect(chat.fold().run_id).toBe(null)
  })

  test('[W11.3] a REST call that waits too long takes it back', async () => {
    await using held = await compacting('rest')
    const { chat, compact, go } = held
    const path = `/api/sessions/${chat.session_id}/chat`
    const late = await world().rest('POST', path, { body: { message: 'too late', timeout_ms: 1_000 } })
    expect([late.status, late.body['code']]).toEqual([504, 'timeout'])
    await chat.until(({ name, payload }) => name === 'chat:end' && payload['run_id'] === late.body['run_id'])
    go()
    expect(await compact).toMatchObject({ status: 'ok' })
    expect(world().requests('too late')).toEqual([])
  })

  test('[W11.3] a REST call whose message is taken back by another client hears of it', async () => {
    await using held = await compacting('heard')
    const { chat } = held
    const path = `/api/sessions/${chat.session_id}/chat`
    const asked = { message: 'hear this', client_message_id: 'h1' }
    const answer = world().rest('POST', path, { body: asked })
    // The same message again, whichever came first.
    const ack = await queued(chat, asked.message, { ...asked, headless: true })
    await stop(chat, ack.run_id)
    expect((await answer).body).toMatchObject({ code: 'interrupted', run_id: ack.run_id })
  })

  test('[S12] agent SSE cancels it, and its stream ends as cancelled', async () => {
    await using held = await compacting('sse')
    const { chat, compact, go } = held
    const sessionId = chat.session_id
    await using stream = await open(world(), { message: 'told no more', sessionId, messageId: 's1' })
    const cancel = (messageId: string) =>
      world().rest('POST', '/api/agent/chat/cancel', { body: { sessionId, messageId } })
    expect((await cancel('s9')).status).toBe(404)
    expect((await cancel('s1')).status).toBe(202)
    expect((await stream.all()).at(-1)).toMatchObject({ type: 'cancelled' })
    go()
    expect(await compact).toMatchObject({ status: 'ok' })
  })

  test('[W10.16] [S15.1] has what is remembered and known about it, found when it was sent', async () => {
    const content = 'My accountant is Ms Featherstonehaugh.'
    const memory = (await world().rest<Memory>('POST', '/api/memories', { body: { content } })).body
    await addDocument(world(), '# Ledger\n\nThe accountant files the zinc ledger in October.', { title: 'Ledger' })
    const question = 'Who is my accountant?'
    await using held = await compacting('recall', [question])
    const { chat, go } = held
    const from = chat.received.length
    const ack = await queued(chat, question)
    const counted = async () => (await world().rest<Memory>('GET', `/api/memories/${memory.id}`)).body.hit_count
    expect(await counted()).toBe(1)
    go()
    const { end, events } = await chat.ended(ack, from)
    expect(end.status).toBe('completed')
    const said = world().requests(question)[0]!.messages.at(-1)!.text
    expect(said.startsWith(question)).toBe(true)
    expect(said).toContain(`[${memory.id}] ${content}`)
    expect(said).toMatch(/<passage number="1" from="Ledger[^>]*>\n[^<]*zinc ledger in October/)
    const [asked, answer] = (await chat.messages()).slice(-2)
    expect(asked).toMatchObject({ role: 'user', sources: [{ ref: 1, title: 'Ledger' }] })
    expect(answer!.memory_refs).toMatchObject([{ id: memory.id }])
    const told = events.filter(({ name }) => name === 'knowledge:retrieved').map(({ payload }) => payload)
    expect(told).toMatchObject([{ turn_id: asked!.turn_id, sources: asked!.sources }])
    expect(await counted()).toBe(1)
  })

  test('[W10.16] what was forgotten while it waited is not told', async () => {
    const content = 'My locksmith is Mr Quillfeather of Leith.'
    const memory = (await world().rest<Memory>('POST', '/api/memories', { body: { content } })).body
    const question = 'Who is my locksmith?'
    await using held = await compacting('forgotten', [question])
    const ack = await queued(held.chat, question)
    await world().rest('DELETE', `/api/memories/${memory.id}`)
    held.go()
    expect((await held.chat.ended(ack)).end.status).toBe('completed')
    expect(world().requests(question)[0]!.messages.at(-1)!.text).not.toContain('Quillfeather')
    expect((await held.chat.messages()).at(-1)!.memory_refs).toBe(null)
  })
})
