import { expect, describe, test } from 'vitest'
import { askCall, sharedWorld, STORES } from './world.ts'

/** Deep enough to overflow whatever calls itself for every level. */
const LEVELS = 6_000
const deep = (levels = LEVELS) => '['.repeat(levels) + ']'.repeat(levels)
const deepObject = (levels = LEVELS) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)
const manyKeys = () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]))

describe.each(STORES)('%s', (store) => {
  const world = sharedWorld(store, {
    policy: { rules: [{ tool: 'Work', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
  })

  const HOSTILE: Record<string, string> = {
    'nested arrays': deep(),
    'nested objects': deepObject(),
    'nesting inside a good argument': `{"command":"ls","more":${deep()}}`,
    'nesting that never ends': '['.repeat(LEVELS),
    'a hundred thousand levels': deep(100_000),
    'just above the limit': `{"command":"ls","more":${deep(100)}}`,
  }

  test.each(Object.entries(HOSTILE))(
    'arguments of %s are told to the model, and the run goes on',
    async (name, text) => {
      const question = `args ${name}`
      world().learn({ [question]: [{ calls: [{ name: 'Bash', arguments: text }] }, { text: 'Sorry' }] })
      await using chat = await world().chat()
      const run = await chat.run(question)
      expect(run.end).toMatchObject({ status: 'completed' })
      const [, turn] = await chat.messages()
      expect(turn!.tool_calls).toMatchObject([
        { status: 'error', result: expect.stringMatching(/deeper than 100|valid JSON/) },
      ])
      expect(chat.fold().turns).toHaveLength(3)
      expect((await world().rest('DELETE', `/api/sessions/${chat.session_id}`)).status).toBe(200)
    },
  )

  test.each(['AskUserQuestion', 'Agent', 'submit_result', 'NoSuchTool'])('so are those of %s', async (name) => {
    const question = `deep ${name}`
    world().learn({ [question]: [{ calls: [{ name, arguments: deep() }] }, { text: 'Sorry' }] })
    await using chat = await world().chat()
    const run = await chat.run(question)
    expect(run.end.status).toBe('completed')
    expect((await chat.messages())[1]!.tool_calls).toMatchObject([{ status: 'error' }])
  })

  test('20 000 keys, a __proto__ and half a character in arguments harm nobody', async () => {
    const odd =
      '{"command":"ls","__proto__":{"polluted":1},"lone":"\\ud800","constructor":{"prototype":{"polluted":1}}}'
    const keys = JSON.stringify({ command: 'ls', ...manyKeys() })
    world().learn({
      'odd keys': [
        { calls: [{ name: 'Bash', arguments: odd }] },
        { calls: [{ name: 'Bash', arguments: keys }] },
        { text: 'Done' },
      ],
    })
    const session_id = await world().newSession()
    const answer = await world().rest('POST', `/api/sessions/${session_id}/chat`, { body: { message: 'odd keys' } })
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect({}).not.toHaveProperty('polluted')
    const calls = (await world().messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
    expect(calls).toMatchObject([{ status: 'done' }, { status: 'done' }])
  })

  test('a NUL reaches no column: in what a person is asked, in tasks, in plans', async () => {
    world().learn({
      'nul everywhere': [
        { calls: [{ name: 'TaskCreate', arguments: { title: 'a\0b' } }] },
        { calls: [{ name: 'TaskUpdate', arguments: { id: 'task\0', status: 'completed' } }] },
        { calls: [{ name: 'Work', arguments: { name: 'x\0y' } }] },
        { text: 'Done' },
      ],
    })
    await using chat = await world().chat()
    const run = await chat.run('nul everywhere')
    expect(run.end).toMatchObject({ session_status: 'waiting_for_input' })
    const answer = await chat.answer({ '0': [1] })
    expect(answer.end.status).toBe('completed')
    expect(world().errors).toEqual([])
  })

  test('a message of many megabytes of different words is accepted and found by its beginning', async () => {
    const words = Array.from({ length: 500_000 }, (_, index) => `w${index.toString(36)}`).join(' ')
    const message = `searchable ${words}`
    world().learn({ [message]: [{ text: 'Long' }] })
    await using chat = await world().chat()
    expect((await chat.run(message)).end.status).toBe('completed')
    const found = await world().rest<{ items: { id: string }[] }>('GET', '/api/sessions?q=searchable')
    expect(found.body.items.map(({ id }) => id)).toContain(chat.session_id)
  })
})

const world = sharedWorld()

test.each([
  ['POST', '/api/sessions', `{"intent":${deep()}}`],
  ['POST', '/api/sessions', `{"env":${deepObject()}}`],
  ['POST', '/api/sessions/sess_x/chat', `{"message":"x","output_schema":${deepObject()}}`],
  ['POST', '/api/sessions/sess_x/chat', `{"message":"x","runtime_env":${deepObject()}}`],
  ['POST', '/api/confirmations/conf_x', `{"decision":"approve","edited_arguments":${deepObject()}}`],
  ['PATCH', '/api/sessions/sess_x', deep(1_000_000)],
  ['POST', '/api/sessions', '{"__proto__":{"intent":"x"}}'],
])('[W3] %s %s with hostile JSON is 400 with a code', async (method, path, body) => {
  const answer = await world().rest(method, path, { body })
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_payload', detail: expect.any(String) } })
})

test('[D3] a body with 200 000 faults gets a short answer', async () => {
  const body = { disable_tools: Array.from({ length: 200_000 }, (_, index) => index) }
  const answer = await world().rest('POST', '/api/sessions', { body })
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
  expect(JSON.stringify(answer.body).length).toBeLessThan(10_000)
})

test('variables with a NUL are refused: no process can be given them', async () => {
  for (const env of [{ A: 'x\0y' }, { 'A\0': 'x' }])
    expect(await world().rest('POST', '/api/sessions', { body: { env } })).toMatchObject({ status: 422 })
})

test.each([
  ['deep', deepObject()],
  ['a million levels deep', deep(1_000_000)],
  ['with a __proto__', '{"__proto__":{"type":"string"}}'],
])('[W2.4] a payload %s is refused with invalid_payload, and the socket lives on', async (_, schema) => {
  await using chat = await world().chat()
  const packet = `2["chat:send",{"session_id":"${chat.session_id}","message":"x","output_schema":${schema}}]`
  chat.client.socket.io.engine.send(packet)
  const { payload } = await chat.until('system:error')
  expect(payload).toMatchObject({ code: 'invalid_payload', session_id: chat.session_id })
  expect(await chat.client.ask('chat:stop', { session_id: chat.session_id })).toMatchObject({ status: 'ok' })
})

test('[W2.4] a payload with deep JSON and a binary part costs only its own socket', async () => {
  await using chat = await world().chat()
  const { engine } = chat.client.socket.io
  const closed = chat.until('(disconnect)')
  engine.send(`51-["chat:send",${'['.repeat(LEVELS)}{"_placeholder":true,"num":0}${']'.repeat(LEVELS)}]`)
  engine.send(new Uint8Array([1]))
  await Promise.race([closed, chat.until('system:error')])
  expect((await world().rest('GET', '/api/health')).status).toBe(200)
})

test('an upload whose paths nest deep is refused', async () => {
  const session_id = await world().newSession()
  const form = new FormData()
  form.append('paths', deep())
  form.append('files', new Blob(['x']), 'x.txt')
  const reply = await fetch(`${world().url}/api/sessions/${session_id}/upload/`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-wire-0123456789012345678901234567' },
    body: form,
  })
  expect(reply.status).toBe(422)
  expect(await reply.json()).toMatchObject({ code: 'invalid_payload' })
})

test('[W10.5] arguments that a person changed are refused when they nest deep, and the question stays', async () => {
  world().learn({ 'deep edit': [{ calls: [askCall()] }] })
  await using chat = await world().chat()
  await chat.run('deep edit')
  const { tool_call_id } = await chat.answerWith()
  const packet = `2["chat:send",{"session_id":"${chat.session_id}","message":"","askuser_answer":{"tool_call_id":"${tool_call_id}","selections":{"0":[0]},"custom":{},"edited_arguments":${deepObject()}}}]`
  chat.client.socket.io.engine.send(packet)
  expect((await chat.until('system:error')).payload).toMatchObject({ code: 'invalid_payload' })
  expect((await chat.session()).pending_question).toMatchObject({ tool_call_id })
})
