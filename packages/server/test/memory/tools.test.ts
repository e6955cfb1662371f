import type { Memory, Page } from '@parley/protocol/rest'
import type { FakeReply } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chat } from '../wire/chat.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

const HUSH = 'zX8-hush-hush-server'
const SHOWN = /hush|crm-4711|value-of-this-run|hunter2|abc12345|ghp_|4111|nobody needs/
const TOOLS = ['Remember', 'CorrectMemory', 'ForgetMemory', 'FindMemories']

beforeAll(() => {
  process.env['BILLING_API_KEY'] = HUSH
})
afterAll(() => {
  delete process.env['BILLING_API_KEY']
})

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const list = async (query = '') => (await world().rest<Page<Memory>>('GET', `/api/memories${query}`)).body.items
  const session = async (chat: Chat) => (await list()).filter((one) => one.source_session === chat.session_id)

  /** The model makes these calls, one a round, and says it is done. */
  async function calling(chat: Chat, asked: string | { question: string; env: object }, calls: [string, object][]) {
    const { question, env } = typeof asked === 'string' ? { question: asked, env: undefined } : asked
    const rounds: FakeReply[] = calls.map(([name, input]) => ({ calls: [{ name, arguments: input }] }))
    world().learn({ [question]: [...rounds, { text: 'Done.' }] })
    const { end } = await chat.run(question, env && { runtime_env: env })
    expect(end).toMatchObject({ status: 'completed' })
    const turns = (await chat.messages()).slice(-calls.length - 1)
    return turns.flatMap(({ tool_calls }) =>
      tool_calls.map(({ status, result }) => ({ status, result: result as object })),
    )
  }

  test('an agent keeps what it is asked to remember, in the user’s words, once', async () => {
    await using chat = await world().chat()
    const content = '我每天早上六点跑步'
    const results = await calling(chat, '记住我每天早上六点跑步', [
      ['Remember', { content, topic: '跑步', reason: '用户要求记住' }],
      ['Remember', { content: '记住：我每天早上六点跑步。' }],
    ])
    const [kept, ...others] = await session(chat)
    expect(others).toEqual([])
    expect(kept).toMatchObject({
      content,
      type: 'feedback',
      topic: '跑步',
      record_type: 'memory',
      write_reason: '用户要求记住',
      source_session: chat.session_id,
    })
    expect(results).toMatchObject([
      { status: 'done', result: { ok: true, id: kept!.id } },
      { status: 'done', result: { ok: true, id: kept!.id, was_known: true } },
    ])
  })

  test('what is corrected is replaced, what contradicts replaces by itself, and what is forgotten is gone with its past', async () => {
    await using chat = await world().chat()
    await calling(chat, 'remember my seat', [['Remember', { content: 'I sit by the window on trains' }]])
    const [first] = await session(chat)
    const corrected = await calling(chat, 'the aisle, in fact', [
      ['CorrectMemory', { id: first!.id, content: 'I sit by the aisle on trains', reason: 'changed' }],
      ['CorrectMemory', { id: first!.id, content: 'I stand' }],
      ['CorrectMemory', { id: 987_654_321, content: 'I stand' }],
    ])
    const [second] = await session(chat)
    expect(second).toMatchObject({ content: 'I sit by the aisle on trains', superseded_by: null })
    expect(corrected).toMatchObject([
      { status: 'done', result: { id: second!.id, replaced: [{ id: first!.id }] } },
      { status: 'error', result: `Memory ${first!.id} was replaced by ${second!.id} already.` },
      { status: 'error', result: 'There is no memory 987654321.' },
    ])
    const named = await calling(chat, 'no trains any more', [
      ['Remember', { content: 'I travel by bicycle only', replaces: [second!.id] }],
    ])
    expect(named).toMatchObject([{ result: { replaced: [{ id: second!.id }] } }])
    const third = (await session(chat))[0]!
    const ids = [first!.id, second!.id, third.id]
    const forgotten = await calling(chat, 'forget how I travel', [['ForgetMemory', { ids: [third.id] }]])
    expect(forgotten).toMatchObject([{ status: 'done', result: { ok: true, forgotten: ids } }])
    expect(await session(chat)).toEqual([])
  })

  test('[W11.2] [W10.16] memory_enabled: true unless it is said otherwise, and it really switches: no tools, and no writing', async () => {
    world().learn({ 'which tools (on)?': [{ text: 'x' }], 'which tools (off)?': [{ text: 'x' }] })
    const off = await world().newSession({ memory_enabled: false })
    await using chat = await world().chat()
    await using quiet = await world().chat({ session_id: off })
    await chat.run('which tools (on)?')
    await quiet.run('which tools (off)?')
    expect(world().requests('which tools (on)?')[0]!.tools).toEqual(expect.arrayContaining(TOOLS))
    for (const name of TOOLS) expect(world().requests('which tools (off)?')[0]!.tools).not.toContain(name)
    expect(await chat.session()).toMatchObject({ memory_enabled: true, session_setup: { memory_enabled: true } })
    expect(await quiet.session()).toMatchObject({ memory_enabled: false, session_setup: { memory_enabled: false } })
    const patch = (memory_enabled: boolean) =>
      world().rest('PATCH', `/api/sessions/${chat.session_id}/memory`, { body: { memory_enabled } })
    // Also while a run is under way that began with it.
    const running = calling(chat, 'in the middle', [
      ['Work', { name: `middle-${store}` }],
      ['Remember', { content: 'Too late' }],
    ])
    await world().gates.reached(`middle-${store}`)
    expect((await patch(false)).body).toMatchObject({ memory_enabled: false })
    world().gates.open(`middle-${store}`)
    expect((await running).at(-1)).toEqual({ status: 'error', result: 'Memory is switched off in this session.' })
    expect(await session(chat)).toEqual([])
    expect((await patch(true)).body).toMatchObject({ memory_enabled: true })
    await calling(chat, 'remember something', [['Remember', { content: 'Something' }]])
    expect(await session(chat)).toMatchObject([{ content: 'Something' }])
  })

  test('nothing that is, or looks like, a secret is kept, by any way; the refusal names it and does not show it', async () => {
    const id = await world().newSession({ env: { CRM_TOKEN: 'crm-4711', CITY: 'Hamburg' } })
    await using chat = await world().chat({ session_id: id })
    const env = { RUN_VALUE: 'value-of-this-run' }
    const said: [content: string, name: string][] = [
      [`The key is ${HUSH}`, 'BILLING_API_KEY'],
      [`Spelled: ${[...HUSH].join(' ')}`, 'BILLING_API_KEY'],
      ['The CRM takes crm-4711', 'CRM_TOKEN'],
      ['It is value-of-this-run', 'RUN_VALUE'],
      ['a secret for tests that nobody needs to know', 'secret'],
      ['My password is hunter2!', 'a password'],
      ['邮箱密码是abc12345', 'a password'],
      ['Use ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'a GitHub token'],
      ['My card is 4111 1111 1111 1111', 'a card number'],
    ]
    const results = await calling(
      chat,
      { question: 'keep my secrets', env },
      said.map(([content]) => ['Remember', { content }]),
    )
    expect(results.map(({ status }) => status)).toEqual(said.map(() => 'error'))
    for (const [at, [, name]] of said.entries()) expect(JSON.stringify(results[at])).toContain(name)
    expect(JSON.stringify(results)).not.toMatch(SHOWN)
    const [kept] = await calling(chat, 'keep a harmless thing', [
      ['Remember', { content: 'I live in Hamburg; my password manager is Bitwarden' }],
    ])
    expect(kept).toMatchObject({ status: 'done' })
    const body = { content: 'x', topic: `about ${HUSH}` }
    const posted = await world().rest('POST', '/api/memories', { body })
    expect(posted).toMatchObject({ status: 422, body: { field: 'topic', secret: 'BILLING_API_KEY' } })
    const put = await world().rest('PUT', `/api/memories/${(await session(chat))[0]!.id}`, { body })
    expect(put.status).toBe(422)
    expect(JSON.stringify(await list('?limit=100'))).not.toMatch(SHOWN)
  })
})
