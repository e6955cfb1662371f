import type { Confirmation } from '@parley/protocol'
import { expect, test } from 'vitest'
import { askCall, sharedWorld } from './world.ts'

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})

/** A call that waits for consent, and its confirmation. */
async function waiting(question: string) {
  const call = { name: 'Bash', arguments: { command: `rm ${question}` } }
  world().learn({ [question]: [{ calls: [call] }, { text: 'Done' }] })
  const chat = await world().chat()
  await chat.run(question)
  const { body } = await world().rest<{ items: Confirmation[] }>('GET', '/api/confirmations?status=pending')
  return { chat, item: body.items.find(({ session_id }) => session_id === chat.session_id)! }
}

const pending = async (id: string) =>
  (await world().rest<{ items: Confirmation[] }>('GET', '/api/confirmations?limit=200')).body.items.find(
    (one) => one.id === id,
  )!.status

test.each(['arguments', 'edited_argument', 'editedArguments', 'edits', 'digest'])(
  '[W0] a decision with the field %s is refused by name, and decides nothing',
  async (field) => {
    const { chat, item } = await waiting(`with ${field}`)
    await using _chat = chat
    const body = { decision: 'approve', [field]: { command: 'ls' } }
    const refused = await world().rest('POST', `/api/confirmations/${item.id}`, { body })
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_payload', errors: [{ loc: [field] }] } })
    expect(refused.body['detail']).toContain(field)
    expect(refused.body['detail']).toContain('edited_arguments')
    expect(await pending(item.id)).toBe('pending')
  },
)

test('[W0] the same slip in an answer over the socket is refused, and decides nothing', async () => {
  const { chat, item } = await waiting('by socket')
  await using _chat = chat
  const askuser_answer = { ...(await chat.answerWith()), edited_argument: { command: 'ls' } }
  expect(await chat.send('', { askuser_answer })).toMatchObject({
    status: 'error',
    code: 'invalid_payload',
    message: expect.stringContaining('did you mean edited_arguments?'),
  })
  expect(await pending(item.id)).toBe('pending')
})

test('[D5] a refusal with edited_arguments is refused by name on either path, and decides nothing', async () => {
  const { chat, item } = await waiting('refused and edited')
  await using _chat = chat
  const edited_arguments = { command: 'ls' }
  const body = { decision: 'reject', edited_arguments }
  const refused = await world().rest('POST', `/api/confirmations/${item.id}`, { body })
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
  expect(refused.body['detail']).toContain('edited_arguments')
  const askuser_answer = { ...(await chat.answerWith({ '0': [1] })), edited_arguments }
  expect(await chat.send('', { askuser_answer })).toMatchObject({
    status: 'error',
    code: 'invalid_payload',
    message: expect.stringContaining('edited_arguments'),
  })
  expect(await pending(item.id)).toBe('pending')
})

test('[D5] an answer with edited_arguments to a question that asks for no consent is refused by name', async () => {
  world().learn({ 'which one?': [{ calls: [askCall()] }, { text: 'Done' }] })
  await using chat = await world().chat()
  await chat.run('which one?')
  const askuser_answer = { ...(await chat.answerWith()), edited_arguments: { command: 'ls' } }
  expect(await chat.send('', { askuser_answer })).toMatchObject({
    status: 'error',
    code: 'invalid_payload',
    message: expect.stringContaining('edited_arguments'),
  })
  expect((await chat.session()).status).toBe('waiting_for_input')
})

test.each([
  ['GET', '/api/confirmations?stauts=pending', { body: undefined, meant: 'status' }],
  ['POST', '/api/tools/x/approve', { body: { digset: 'x', digest: 'x' }, meant: 'digest' }],
  ['POST', '/api/sessions/{id}/chat?patchmode=delta', { body: { message: 'hi' }, meant: 'patch_mode' }],
])('[W0] %s %s is ours: what it does not know is refused', async (method, path, { body, meant }) => {
  const id = await world().newSession()
  const answer = await world().rest(method, path.replace('{id}', id), { body })
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
  expect(answer.body['detail']).toContain(`did you mean ${meant}?`)
  expect(await world().messages(id)).toEqual([])
})

test('[W0] chat:append is ours: what it does not know is refused', async () => {
  await using chat = await world().chat()
  const given = { session_id: chat.session_id, message: 'and', mesage: 'or' }
  expect(await chat.client.ask('chat:append', given)).toMatchObject({ code: 'invalid_payload' })
})

test('[W0] fields of a seed’s command that nobody knows are ignored, and named in its acknowledgement', async () => {
  world().learn({ 'unknown to the specification': [{ text: 'Hi' }] })
  await using chat = await world().chat()
  const message = [{ type: 'text' as const, text: 'unknown to the specification', colour: 'red' }]
  const ack = await chat.send(message, { tempo: 3, whatif: null })
  expect(ack).toMatchObject({ status: 'ok', ignored: ['message.0.colour', 'tempo'] })
  await chat.ended(ack)
  const { session_id } = chat
  expect(await chat.client.ask('chat:stop', { session_id, now: true })).toMatchObject({ ignored: ['now'] })
  expect(await chat.client.ask('chat:stop', { session_id })).not.toHaveProperty('ignored')
})

test('[W0] a refused command names them too', async () => {
  await using chat = await world().chat()
  const ack = await chat.client.ask('chat:send', { session_id: chat.session_id, mesage: 'hi' })
  expect(ack).toMatchObject({ status: 'error', code: 'invalid_payload', ignored: ['mesage'] })
})

test('[W0] over REST the answer names them; without any there is no such field', async () => {
  const plain = await world().rest('POST', '/api/sessions', { body: { intent: 'x' } })
  expect(plain.body).not.toHaveProperty('ignored')
  expect(plain.headers.has('parley-ignored')).toBe(false)
  const id = plain.body['session_id'] as string
  const ignored = { ignored: ['titel'] }
  const rest = world().rest.bind(world())
  expect((await rest('POST', '/api/sessions', { body: { titel: 'x' } })).body).toMatchObject(ignored)
  expect((await rest('PATCH', `/api/sessions/${id}`, { body: { titel: 'x' } })).body).toMatchObject(ignored)
  expect((await rest('PATCH', `/api/sessions/${id}/pin`, { body: { pinned: true, titel: 1 } })).body).toMatchObject(
    ignored,
  )
  expect((await rest('GET', '/api/sessions?titel=x')).body).toMatchObject(ignored)
  // A body that the route does not read at all.
  expect((await rest('DELETE', `/api/sessions/${id}`, { body: { titel: 'x' } })).body).toEqual({
    deleted: true,
    ...ignored,
  })
})

test('[W0] an answer that is no object names them in a header', async () => {
  const id = await world().newSession()
  const list = await world().rest('GET', `/api/sessions/${id}/messages?limti=5&%E5%90%8D=%0A`)
  expect(list.body).toEqual([])
  expect(list.headers.get('parley-ignored')).toBe('limti, %E5%90%8D')
  const key = await world().rest<{ key: { id: string } }>('POST', '/api/user/api-keys', { body: { name: 'k', x: 1 } })
  expect(key.body).toMatchObject({ ignored: ['x'] })
  const gone = await world().rest('DELETE', `/api/user/api-keys/${key.body.key.id}`, { body: { y: 1 } })
  expect([gone.status, gone.headers.get('parley-ignored')]).toEqual([204, 'y'])
})

test('[W0] a header names as many as fit into it, however long they are', async () => {
  const id = await world().newSession()
  const key = await world().rest<{ key: { id: string } }>('POST', '/api/user/api-keys', { body: { name: 'k' } })
  const body = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}${'名'.repeat(2_000)}`, 1]))
  const gone = await world().rest('DELETE', `/api/user/api-keys/${key.body.key.id}`, { body })
  const named = gone.headers.get('parley-ignored')!
  expect(gone.status).toBe(204)
  expect(named.length).toBeLessThanOrEqual(2_048)
  expect(named.split(', ').map((name) => decodeURIComponent(name).slice(0, 2))).toEqual(['0名', '1名'])
  const query = Array.from({ length: 90 }, (_, at) => `n${at}`)
  const list = await world().rest('GET', `/api/sessions/${id}/messages?${query.map((name) => `${name}=1`).join('&')}`)
  expect(list.headers.get('parley-ignored')!.split(', ')).toEqual(query.slice(0, 20))
})

test('[W0] an event stream names them in a header, and in a comment for whoever reads along', async () => {
  world().learn({ 'streamed, with a slip': [{ text: 'Hi' }] })
  const id = await world().newSession()
  const { body, headers } = await world().rest<string>('POST', `/api/sessions/${id}/chat`, {
    body: { message: 'streamed, with a slip', headles: false },
    headers: { accept: 'text/event-stream' },
  })
  expect(headers.get('parley-ignored')).toBe('headles')
  expect(body).toMatch(/^: ignored: \["headles"\]\n\nid: /)
})

test('[W0] a form names its fields too', async () => {
  const id = await world().newSession()
  const form = new FormData()
  form.append('path', 'b.txt')
  form.append('files', new Blob(['x']), 'a.txt')
  const reply = await fetch(`${world().url}/api/sessions/${id}/upload/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${(await world().rest<{ plaintext: string }>('POST', '/api/user/api-keys', { body: { name: 'f' } })).body.plaintext}`,
    },
    body: form,
  })
  expect(await reply.json()).toEqual({ uploaded: ['a.txt'], failed: [], ignored: ['path'] })
})

test('[W0] the log has one line per name, and not without end', async () => {
  const fields = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]))
  const lines = () => world().warnings.filter((line) => line.includes('was ignored'))
  for (let round = 0; round < 3; round++) await world().newSession(fields(['often_1', 'often_2']))
  expect(lines().filter((line) => line.includes('often_'))).toHaveLength(2)
  for (let round = 0; round < 30; round++)
    await world().newSession(fields(Array.from({ length: 20 }, (_, index) => `made_up_${round}_${index}`)))
  expect(lines().length).toBeLessThanOrEqual(200)
  expect(world().errors).toEqual([])
})
