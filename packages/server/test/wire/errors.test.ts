import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askCall, sharedWorld, World } from './world.ts'

const world = sharedWorld()

test('[W15] forbidden: a page of a site that is not allowed', async () => {
  const answer = await world().rest('GET', '/api/sessions', { headers: { origin: 'https://evil.example' } })
  expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden', detail: expect.any(String) } })
  await expect(world().connect({ headers: { origin: 'https://evil.example' } })).rejects.toThrow()
})

test('[W15] not_found: a key that is not there', async () => {
  expect(await world().rest('GET', '/api/user/api-keys/key_none')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
})

test('[W3] [W15] a body that is no JSON is 400, of another kind 415, beyond the limit 413', async () => {
  const post = (body: string, type = 'application/json') =>
    world().rest('POST', '/api/sessions', { body, headers: { 'content-type': type } })
  expect((await post('{"intent": ')).status).toBe(400)
  expect((await post('intent=x', 'application/x-www-form-urlencoded')).status).toBe(415)
  const large = await post(JSON.stringify({ intent: 'x'.repeat(21 * 1024 * 1024) }))
  expect(large).toMatchObject({ status: 413, body: { code: 'payload_too_large', detail: expect.any(String) } })
})

test('[W5.6] [W15] not_running: nothing to add to', async () => {
  await using chat = await world().chat()
  expect(await chat.client.ask('chat:append', { session_id: chat.session_id, message: 'x' })).toMatchObject({
    status: 'error',
    code: 'not_running',
  })
  expect(await chat.messages()).toEqual([])
})

test('[W15] not_supported: an event that nobody knows', async () => {
  await using client = await world().connect()
  expect(await client.ask('chat:dance', {})).toMatchObject({ status: 'error', code: 'not_supported' })
})

test('[W15] [W3] rate_limited: too many bad tries from one address, with Retry-After; a known key is not locked out', async () => {
  await using own = await World.open()
  await own.newSession()
  const tries: number[] = []
  for (let count = 0; count < 25; count++)
    tries.push((await own.rest('GET', '/api/sessions', { token: `bad ${count}` })).status)
  expect(tries[0]).toBe(401)
  const refused = await own.rest('GET', '/api/sessions', { token: 'bad again' })
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await own.rest('GET', '/api/sessions')).status).toBe(200)
})

test('[W5.3] of several faults the first in the order of the checks is reported', async () => {
  world().learn({ 'check order': [{ calls: [askCall()] }], 'busy order': [{ text: 'Busy', hang: 'after' }] })
  await using chat = await world().chat()
  await using stranger = await world().connect({ token: world().strangersKey })
  const wrong = {
    output_schema: { type: 'nonsense' },
    model: 'gpt-99',
    askuser_answer: { tool_call_id: 'tc_none', selections: {}, custom: {} },
  }
  const { output_schema: _schema, ...rest } = wrong
  const { model: _model, ...answer } = rest
  const code = async (payload: object) => (await chat.send('', payload)).code
  expect(await stranger.ask('chat:send', { session_id: chat.session_id, message: 7, ...wrong })).toMatchObject({
    code: 'invalid_payload',
  })
  expect(await stranger.ask('chat:send', { session_id: chat.session_id, message: '', ...wrong })).toMatchObject({
    code: 'session_not_found',
  })
  expect(await code(wrong)).toBe('output_schema_invalid')
  expect(await code(rest)).toBe('model_not_available')
  expect(await code(answer)).toBe('ask_not_pending')
  await chat.run('check order')
  const { tool_call_id } = await chat.answerWith()
  expect(await code({ askuser_answer: { tool_call_id, selections: {}, custom: {} } })).toBe('invalid_answer')
  const ack = await chat.send('busy order')
  await chat.until(({ name, payload }) => name === 'turn:patch' && JSON.stringify(payload).includes('Busy'))
  expect(await code(answer)).toBe('ask_not_pending')
  expect(await code({})).toBe('session_busy')
  await chat.stop()
  await chat.ended(ack)
  expect(await code({})).toBe('invalid_payload')
})

test('[W5.3] [WR-68] runtime_env is never echoed, and never lies on the disk in the clear', async () => {
  const secret = 'sesame-4711-open'
  world().learn({ 'with secrets': [{ calls: [askCall()] }] })
  await using chat = await world().chat()
  await chat.run('with secrets', { runtime_env: { DOOR: secret } })
  expect(JSON.stringify([chat.received, await chat.messages(), await chat.session()])).not.toContain(secret)
  const files = await readdir(world().dataDir, { recursive: true, withFileTypes: true })
  expect(files.filter((file) => file.isFile())).not.toEqual([])
  for (const file of files.filter((one) => one.isFile()))
    expect((await readFile(join(file.parentPath, file.name))).includes(secret), file.name).toBe(false)
  await chat.stop()
})

test('nothing of this was an error to the server', () => {
  expect(world().errors).toEqual([])
})
