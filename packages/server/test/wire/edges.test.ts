import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { agentCall, askCall, sharedWorld, STORES, World } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test.each([
    ['a NUL', 'before\u0000after'],
    ['half a surrogate pair', 'broken \ud83d emoji'],
    ['a byte order mark and directions', '\ufeff\u202eabc\u202c'],
    ['quotes for SQL and JSON', `Robert'); DROP TABLE sessions;-- {"a": "\\u0000"}`],
    ['a hundred thousand characters', 'long '.repeat(20_000)],
  ])('[W5.3] [W10.1] a message with %s is stored, answered and found again as it is', async (what, text) => {
    const said = `${what}: ${text}`
    for (const question of new Set([said, said.toWellFormed()]))
      world().learn({ [question]: [{ text: said.toWellFormed() }] })
    await using chat = await world().chat()
    const run = await chat.run(said)
    expect(run.end).toMatchObject({ status: 'completed' })
    const turns = await chat.messages()
    expect(textOf(turns[0]!).toWellFormed()).toBe(said.toWellFormed())
    expect(textOf(turns[1]!)).toBe(said.toWellFormed())
    const { intent } = await chat.session()
    expect(intent).not.toBe('')
    expect(intent).not.toMatch(/\p{Cc}/u)
    expect(world().errors).toEqual([])
  })

  test.each([
    ['PATCH', '/api/sessions/{id}', { intent: 'nul\u0000title' }],
    ['POST', '/api/sessions', { intent: 'nul\u0000title' }],
    ['POST', '/api/user/api-keys/', { name: 'nul\u0000name' }],
    ['POST', '/api/sessions/{id}/chat', { message: 'x', client_message_id: 'nul\u0000id' }],
  ])('[W11] %s %s with a NUL where a column is meant is 422', async (method, path, body) => {
    const session_id = await world().newSession()
    const answer = await world().rest(method, path.replace('{id}', session_id), { body })
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_payload', detail: expect.any(String) } })
  })

  test.each([
    ['its own name', 'report.txt', 'uploads/report.txt'],
    ['a way up', '../../../evil.txt', 'uploads/evil.txt'],
    ['an absolute path', '/etc/passwd', 'uploads/passwd'],
    ['a way up for Windows', '..\\..\\evil.txt', 'uploads/evil.txt'],
    ['nothing but dots', '..', 'uploads/file'],
    ['a NUL', 'a\u0000b.txt', 'uploads/ab.txt'],
    ['more than a file system takes', `${'名'.repeat(300)}.txt`, `uploads/${'名'.repeat(60)}.txt`],
    ['an extension without end', `a.${'x'.repeat(300)}`, `uploads/a.${'x'.repeat(19)}`],
  ])('[W5.3] [WR-16] a file with %s lies in the workspace, and nowhere else', async (what, name, path) => {
    const question = `file with ${what}[The user attached the file ${path}]`
    world().learn({ [question]: [{ text: 'Got it.' }] })
    await using chat = await world().chat()
    const data = Buffer.from('content').toString('base64')
    const run = await chat.run([
      { type: 'text', text: `file with ${what}` },
      { type: 'file', name, data },
    ])
    expect(run.end.status).toBe('completed')
    const [user] = await chat.messages()
    expect(user!.content_parts).toMatchObject([{ type: 'text' }, { type: 'file', name, path }])
    const workspace = join(world().dataDir, 'workspaces', chat.session_id)
    expect(await readFile(join(workspace, path), 'utf8')).toBe('content')
    expect(await readdir(join(workspace, 'uploads'))).toHaveLength(1)
  })

  test('[W10.4] a tool result with a NUL reaches people and model', async () => {
    world().learn({ binary: [{ calls: [{ name: 'Look', arguments: { name: 'binary' } }] }, { text: 'Bytes.' }] })
    await using chat = await world().chat()
    world().gates.open('binary', 'a\u0000b')
    const run = await chat.run('binary')
    expect(run.end.status).toBe('completed')
    expect((await chat.messages())[1]!.tool_calls[0]!.result).toBe('a\u0000b')
  })

  test('[W10.9] an empty answer counts as a failure that is tried again', async () => {
    let tries = 0
    world().learn({ speechless: () => (tries++ === 0 ? {} : { text: 'Now.' }) })
    await using chat = await world().chat()
    const run = await chat.run('speechless')
    expect(run.trace.slice(3)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 text: Now.',
      'turn:end T1 completed',
      'chat:end completed/completed',
    ])
    expect(run.events.filter(({ name }) => name === 'system:notification')).toHaveLength(1)
  })

  test('[W10.8] a stop while the server waits to try again takes effect at once', async () => {
    world().learn({ throttled: () => ({ error: { status: 429, retryAfter: 30 } }) })
    await using chat = await world().chat()
    const ack = await chat.send('throttled')
    await chat.told('llm:retry')
    const askedAt = performance.now()
    await chat.stop()
    const run = await chat.ended(ack)
    expect(performance.now() - askedAt).toBeLessThan(2_000)
    expect(run.trace.at(-1)).toBe('chat:end interrupted/interrupted')
    expect(world().requests('throttled')).toHaveLength(1)
  })

  test('[W5.4] a stop that names another run stops nothing', async () => {
    world().learn({ 'stop that one': [{ text: 'Running', hang: 'after' }] })
    await using chat = await world().chat()
    const ack = await chat.send('stop that one')
    await chat.told('T1 text: Running')
    const stop = (run_id: string) => chat.client.ask('chat:stop', { session_id: chat.session_id, run_id })
    expect(await stop('chat_other')).toMatchObject({ status: 'ok', message: 'not_running' })
    expect((await chat.session()).status).toBe('running')
    expect(await stop(ack.run_id)).toMatchObject({ status: 'ok', message: null })
    await chat.ended(ack)
  })

  test('[W10.8] a stop while one sub-agent asks and another works cancels both, innermost first', async () => {
    world().learn({
      'stop both': [{ calls: [agentCall('sb asks'), agentCall('sb works')] }],
      'sb asks': [{ calls: [askCall()] }],
      'sb works': [{ calls: [{ name: 'Work', arguments: { name: 'sb' } }] }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('stop both')
    await world().gates.reached('sb')
    await chat.told('awaiting_answer')
    await chat.until(({ payload }) => payload['patch_type'] === 'set_tool_status', 'the question above')
    await chat.stop()
    const run = await chat.ended(ack)
    expect(run.trace.slice(-3)).toEqual([
      expect.stringMatching(/^T1 set_tool_status c\d cancelled$/),
      'turn:end T1 interrupted',
      'chat:end interrupted/interrupted',
    ])
    const turns = await chat.messages()
    expect(turns.slice(1).map(({ status }) => status)).toEqual(['interrupted', 'interrupted', 'interrupted'])
    const calls = turns.flatMap(({ tool_calls }) => tool_calls)
    expect(calls.map(({ status, pending_question_ref }) => [status, pending_question_ref])).toEqual(
      calls.map(() => ['cancelled', null]),
    )
    expect(chat.fold().turns).toEqual(turns)
  })

  test('[W5.3] a message over REST withdraws a question that waits in a chat', async () => {
    world().learn({ 'wait for me': [{ calls: [askCall()] }], 'no waiting': [{ text: 'Gone on.' }] })
    await using chat = await world().chat()
    await chat.run('wait for me')
    const { status, body } = await world().rest('POST', `/api/sessions/${chat.session_id}/chat`, {
      body: { message: 'no waiting' },
    })
    expect([status, body['result']]).toEqual([200, { output: 'Gone on.' }])
    expect((await chat.messages())[1]!.tool_calls[0]).toMatchObject({ status: 'cancelled' })
  })

  test('[W2.6] a subscription may change its patch mode in the middle of a run and miss nothing', async () => {
    world().learn({
      switching: [
        { text: 'Some text', calls: [{ name: 'Work', arguments: { name: 'switch' } }] },
        { text: 'More text.' },
      ],
    })
    await using chat = await world().chat()
    const ack = await chat.send('switching')
    await world().gates.reached('switch')
    await chat.client.ask('session:subscribe', { session_id: chat.session_id, patch_mode: 'delta' })
    world().gates.open('switch')
    const run = await chat.ended(ack)
    expect(run.trace).toContain('T1 tool_result c1 done')
    const result = run.events.find(({ payload }) => payload['patch_type'] === 'tool_result')!
    expect(result.payload['data']).not.toHaveProperty('turn')
    const numbers = run.events.map(({ payload }) => payload['event_seq'])
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(chat.fold().turns).toEqual(await chat.messages())
  })
})

describe.each(STORES)('across a restart, on %s', (store) => {
  test('[W10.7] [W9] a sub-agent’s question survives, and its answer goes all the way down and up again', async () => {
    await using world = await World.open(store)
    world.learn({
      'far 0': [{ text: 'zero', calls: [agentCall('far 1')] }, { text: 'top' }],
      'far 1': [{ text: 'one', calls: [agentCall('far 2')] }, { text: 'middle' }],
      'far 2': [{ text: 'two', calls: [askCall()] }, { text: 'bottom' }],
    })
    const before = await world.chat()
    await before.run('far 0')
    await before[Symbol.asyncDispose]()
    await world.stop()
    await world.start()
    await using chat = await world.chat({ session_id: before.session_id })
    const run = await chat.answer()
    expect(run.end).toMatchObject({ status: 'completed', session_status: 'completed' })
    const turns = await chat.messages()
    expect(turns.map((turn) => `${textOf(turn)} ${turn.status}`)).toEqual([
      'far 0 completed',
      'zero completed',
      'one completed',
      'two completed',
      ' completed',
      'bottom completed',
      'middle completed',
      'top completed',
    ])
    expect(turns[5]!.loop_id).toBe(turns[3]!.loop_id)
    expect(turns[6]!.loop_id).toBe(turns[2]!.loop_id)
    expect(world.errors).toEqual([])
  })
})

describe('with two models', () => {
  test('[W5.3] [W6.6] the model of a message holds from then on, also for an answer that names another', async () => {
    await using world = await World.open('sqlite')
    const model = (id: string) => ({ id, provider: 'openai-compatible' as const, url: world.provider.url, model: id })
    await using both = await World.open('sqlite', { model: 'first', models: [model('first'), model('second')] })
    world.learn({ one: [{ text: '1' }], two: [{ text: '2' }], three: [{ calls: [askCall()] }, { text: '3' }] })
    await using chat = await both.chat()
    await chat.run('one')
    const second = await chat.run('two', { model: 'second' })
    expect(second.events.find(({ name }) => name === 'session:updated')!.payload).toMatchObject({ model: 'second' })
    expect((await chat.session()).model).toBe('second')
    await chat.run('three')
    await chat.answer({ '0': [0] }, { model: 'first' })
    expect(world.provider.requests.map(({ model: id }) => id)).toEqual(['first', 'second', 'second', 'first'])
    expect(endOf(await chat.run('one'), -1).model).toBe('first')
  })
})
