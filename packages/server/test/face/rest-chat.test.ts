import type { RestChatResult } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { pruneEvents } from '../../src/store/prune.ts'
import { type Face, openFace, type RequestOptions } from './face.ts'

const chat = (face: Face, body: object, options: RequestOptions = {}) =>
  face.request('POST', `/api/sessions/${face.session_id}/chat`, { body: { message: 'hi', ...body }, ...options })

test('[W11.3] a completed run answers 200 with its result, and socket subscribers see it like any other', async () => {
  await using face = await openFace()
  await using client = await face.connect()
  await client.ask('session:subscribe', { session_id: face.session_id })
  const answer = chat(face, { model: 'demo' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  await run.endTurn('turn_1')
  await run.end({ result: { output: '巴黎' }, usage: { input_tokens: 1, output_tokens: 2 } })
  expect((await answer).status).toBe(200)
  expect(await (await answer).json()).toEqual({
    session_id: face.session_id,
    status: 'completed',
    result: { output: '巴黎' },
    finish_reason: 'completed',
    run_id: run.run_id,
    usage: { input_tokens: 1, output_tokens: 2 },
    duration_ms: expect.any(Number),
  })
  expect(face.sessions.calls[0]).toMatchObject({
    method: 'send',
    args: [{}, { headless: true, model: 'demo', message: 'hi' }],
  })
  await client.until('chat:end')
  expect(client.names()).toEqual(['chat:start', 'turn:start', 'turn:end', 'chat:end'])
})

test('[WR-45] …/headless is the same route', async () => {
  await using face = await openFace()
  const answer = face.request('POST', `/api/sessions/${face.session_id}/headless`, { body: { message: 'hi' } })
  await (await face.sessions.nextRun()).end()
  expect((await answer).status).toBe(200)
})

test.each([
  ['llm_error', 502],
  ['llm_stream_incomplete', 502],
  ['context_overflow', 502],
  ['tool_error', 502],
  ['confirmation_required', 409],
  ['recovery_failed', 500],
  ['output_schema_unsatisfied', 422],
  ['something_new', 502],
])('[W11.3] a run that failed with %s answers %i', async (code, status) => {
  await using face = await openFace()
  const answer = chat(face, {})
  const run = await face.sessions.nextRun()
  await run.fail(code, { errors: [{ path: '/a' }] })
  expect((await answer).status).toBe(status)
  const body = await (await answer).json()
  expect(body).toMatchObject({
    code: code === 'something_new' ? 'llm_error' : code,
    session_id: face.session_id,
    run_id: run.run_id,
    errors: [{ path: '/a' }],
  })
})

test('[W11.3] a run that somebody stopped answers 409 interrupted', async () => {
  await using face = await openFace()
  const answer = chat(face, {})
  const run = await face.sessions.nextRun()
  await run.end({ status: 'interrupted', finish_reason: null })
  expect((await answer).status).toBe(409)
  expect(await (await answer).json()).toMatchObject({ code: 'interrupted', run_id: run.run_id })
})

test('[W11.3] a busy session answers 409 with the session and the run in the way', async () => {
  await using face = await openFace()
  const first = chat(face, {})
  const run = await face.sessions.nextRun()
  const busy = await chat(face, {})
  expect(busy.status).toBe(409)
  expect(await busy.json()).toMatchObject({ code: 'session_busy', session_id: face.session_id, run_id: 'chat_other' })
  await run.end()
  expect((await first).status).toBe(200)
})

test.each([
  { message: 7 },
  { timeout_ms: 999 },
  { timeout_ms: 1_800_001 },
  { mode: 'odd' },
  { runtime_env: { '1x': 'y' } },
  { headless: false },
])('[W11.3] %j is refused with 422 and starts nothing', async (body) => {
  await using face = await openFace()
  const answer = await chat(face, body)
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ code: 'invalid_payload', detail: expect.any(String) })
  expect(face.sessions.calls).toEqual([])
})

test('[W11.3] a run that takes too long answers 504 and is stopped', async () => {
  await using face = await openFace()
  const answer = chat(face, { timeout_ms: 1_000 })
  const run = await face.sessions.nextRun()
  await face.sessions.stopOf(run.run_id)
  expect((await answer).status).toBe(504)
  expect(await (await answer).json()).toMatchObject({ code: 'timeout', run_id: run.run_id })
})

test('[W11.3] a caller that hangs up stops its run', async () => {
  await using face = await openFace()
  const controller = new AbortController()
  const answer = chat(face, {}, { signal: controller.signal })
  const run = await face.sessions.nextRun()
  controller.abort()
  await expect(answer).rejects.toThrow()
  await face.sessions.stopOf(run.run_id)
})

test('[W5.3] a caller with a client_message_id may hang up and ask again: same run, same answer, also when its events are gone', async () => {
  await using face = await openFace()
  const controller = new AbortController()
  const lost = chat(face, { client_message_id: 'm1' }, { signal: controller.signal })
  const run = await face.sessions.nextRun()
  controller.abort()
  await expect(lost).rejects.toThrow()
  await expect.poll(() => face.connections()).toBe(0)
  const waiting = chat(face, { client_message_id: 'm1' })
  await run.end({ result: { output: 'x' } })
  const first = (await (await waiting).json()) as RestChatResult
  expect(first).toMatchObject({ run_id: run.run_id, result: { output: 'x' } })
  expect(await (await chat(face, { client_message_id: 'm1' })).json()).toEqual(first)
  await face.engine.write(() => pruneEvents(face.session_id, Date.now() + 1_000))
  expect(await (await chat(face, { client_message_id: 'm1' })).json()).toMatchObject({
    run_id: run.run_id,
    result: { output: 'x' },
  })
  expect(face.sessions.calls.filter(({ method }) => method === 'stop')).toEqual([])
})

test('a session deleted under a waiting caller answers 404', async () => {
  await using face = await openFace()
  const answer = chat(face, {})
  const run = await face.sessions.nextRun()
  await face.sessions.delete({ user_id: face.auth.owner_id }, face.session_id)
  expect((await answer).status).toBe(404)
  expect(await (await answer).json()).toMatchObject({ code: 'session_not_found', run_id: run.run_id })
})

test('closing the server sends waiting callers away and stops no run', async () => {
  const face = await openFace()
  const answer = chat(face, {})
  const run = await face.sessions.nextRun()
  await face[Symbol.asyncDispose]()
  expect((await answer).status).toBe(503)
  expect(await (await answer).json()).toMatchObject({ run_id: run.run_id })
  expect(face.sessions.calls.filter(({ method }) => method === 'stop')).toEqual([])
})

const STREAM = { headers: { accept: 'text/event-stream' } }

/** The messages of an event stream, comments apart. */
function messagesOf(text: string): { event: string; data: Record<string, unknown> }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('event:'))
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))!
          .slice(name.length + 2)
      return { event: field('event'), data: JSON.parse(field('data')) as Record<string, unknown> }
    })
}

test('[W11.3] as an event stream the run comes with the events of the socket, in the mode asked for, and ends after chat:end', async () => {
  await using face = await openFace({ heartbeatMs: 5 })
  await using client = await face.connect({ auth: { patch_mode: 'delta' } })
  await client.ask('session:subscribe', { session_id: face.session_id })
  const response = await face.request('POST', `/api/sessions/${face.session_id}/chat?patch_mode=delta`, {
    body: { message: 'hi', headless: false },
    ...STREAM,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const run = await face.sessions.nextRun()
  const text = response.text()
  await run.startTurn('turn_1', 0)
  await run.say('turn_1', '一\n二', '三')
  await run.endTurn('turn_1')
  await run.end()
  await client.until('chat:end')
  expect(messagesOf(await text)).toEqual(client.received.map(({ name, payload }) => ({ event: name, data: payload })))
  expect(face.sessions.calls[0]).toMatchObject({ args: [{}, { headless: false }] })
})

test('[W11.3] an event stream that is quiet says every now and then that it is still there', async () => {
  await using face = await openFace({ heartbeatMs: 5 })
  const response = await chat(face, {}, STREAM)
  const run = await face.sessions.nextRun()
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('\n: ') && !text.startsWith(': ')) text += (await reader.read()).value
  await run.end()
  while (!text.includes('event: chat:end')) text += (await reader.read()).value
  expect((await reader.read()).done).toBe(true)
})

test('[W11.3] an event stream whose time is over stops the run and still shows its end', async () => {
  await using face = await openFace()
  const response = await chat(face, { timeout_ms: 1_000 }, STREAM)
  const run = await face.sessions.nextRun()
  await face.sessions.stopOf(run.run_id)
  await run.end({ status: 'interrupted', finish_reason: null })
  expect(messagesOf(await response.text()).at(-1)).toMatchObject({ event: 'chat:end', data: { status: 'interrupted' } })
})

test('[W11.3] errors before the stream has begun are ordinary answers', async () => {
  await using face = await openFace()
  const answer = await chat(face, { message: 7 }, STREAM)
  expect(answer.status).toBe(422)
  expect(answer.headers.get('content-type')).toContain('application/json')
})

test('[W11.3] a reader of an event stream that hangs up stops its run', async () => {
  await using face = await openFace()
  const response = await chat(face, {}, STREAM)
  const run = await face.sessions.nextRun()
  await response.body!.cancel()
  await face.sessions.stopOf(run.run_id)
})

test('[W2.2] a key that is revoked ends the event streams of its holder, and says why; their runs, and other streams, go on', async () => {
  await using face = await openFace({ recheckMs: 60_000 })
  const { key, plaintext } = await face.auth.keys.create(face.auth.owner_id, 'theirs')
  const theirs = await chat(face, {}, { ...STREAM, token: plaintext })
  const { id } = await face.sessions.create({ user_id: face.auth.owner_id }, {})
  const ours = await face.request('POST', `/api/sessions/${id}/chat`, { body: { message: 'hi' }, ...STREAM })
  const [, run] = [await face.sessions.nextRun(), await face.sessions.nextRun()]
  await face.auth.revokeKey(face.auth.owner_id, key.id)
  expect(messagesOf(await theirs.text()).at(-1)).toMatchObject({
    event: 'system:error',
    data: { code: 'unauthorized', message: expect.stringContaining('revoked') },
  })
  await run.end()
  expect(messagesOf(await ours.text()).at(-1)).toMatchObject({ event: 'chat:end' })
  expect(face.sessions.calls.filter(({ method }) => method === 'stop')).toEqual([])
})

test('[W2.2] a key that another instance revokes sends its waiting caller away at the next look', async () => {
  await using face = await openFace({ recheckMs: 5 })
  await using elsewhere = await openFace({ engine: face.engine })
  const { key, plaintext } = await face.auth.keys.create(face.auth.owner_id, 'theirs')
  const answer = chat(face, {}, { token: plaintext })
  await face.sessions.nextRun()
  await elsewhere.auth.revokeKey(face.auth.owner_id, key.id)
  expect((await answer).status).toBe(401)
})
