import { request } from 'node:http'
import type { ChatEndPayload, Confirmation } from '@parley/protocol'
import type { RestChatResult, RestRequest } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { type Answer, askCall, OWNER_KEY, sharedWorld, WHICH } from './world.ts'

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})

type Waiting = ChatEndPayload & { answer_with?: RestRequest[] }

/** One request for an event stream, and the last thing it says. */
async function stream(path: string, body: object): Promise<{ text: string; end: Waiting }> {
  const { body: text } = await world().rest<string>('POST', path, { body, headers: { accept: 'text/event-stream' } })
  const last = text.trimEnd().split('\n\n').at(-1)!
  expect(last).toContain('event: chat:end\n')
  return { text, end: JSON.parse(last.slice(last.indexOf('data: ') + 6)) as Waiting }
}

const converse = (session_id: string, message: string) =>
  stream(`/api/sessions/${session_id}/chat`, { message, headless: false })

/** Sends one of the requests exactly as it was told. */
const follow = (end: Waiting, to: RestRequest['to'], where: string) => {
  const request = end.answer_with!.find((one) => one.to === to && one.path.includes(where))!
  expect(request.method).toBe('POST')
  return request
}

const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

describe('a conversation over REST', () => {
  test('[W11.3] ends with the question that waits and the request that answers it, which goes on with the run', async () => {
    world().learn({ 'rest: where?': [{ calls: [askCall()] }, { text: 'To staging' }] })
    const id = await world().newSession()
    const { end } = await converse(id, 'rest: where?')
    expect(end).toMatchObject({ session_status: 'waiting_for_input', pause_tool_data: { arguments: WHICH } })
    const { path, body } = follow(end, 'answer', '/chat')
    expect(body).toEqual({
      askuser_answer: { tool_call_id: end.pause_tool_data!.tool_call_id, selections: { 0: [0] }, custom: {} },
    })
    const next = await stream(path, body)
    expect(next.text).toContain('To staging')
    expect(next.end).toMatchObject({ session_status: 'completed' })
    expect(next.end).not.toHaveProperty('answer_with')
  })

  test('[W11.3] questions without options are answered in words', async () => {
    const questions = [{ question: 'Name?', options: [] }, WHICH.questions[0]]
    world().learn({ 'rest: name?': [{ calls: [askCall({ questions })] }, { text: 'Hello' }] })
    const id = await world().newSession()
    const { end } = await converse(id, 'rest: name?')
    const { path, body } = follow(end, 'answer', '/chat')
    expect(body).toMatchObject({ askuser_answer: { selections: { 1: [0] }, custom: { 0: '…' } } })
    expect((await stream(path, body)).end).toMatchObject({ session_status: 'completed' })
  })

  test.each([
    ['approve', 'done', 'ran rm approve'],
    ['reject', 'cancelled', 'rejected by the user'],
    ['edit', 'done', 'ran rm edit'],
  ] as const)('[D5] a confirmation ends with the request to %s it', async (to, status, result) => {
    world().learn({ [`rest: ${to}`]: [{ calls: [bash(`rm ${to}`)] }, { text: 'All right' }] })
    const id = await world().newSession()
    const { end } = await converse(id, `rest: ${to}`)
    expect(end.pause_tool_data!.arguments).toMatchObject({
      confirmation: { id: expect.any(String), digest: expect.any(String), expires_at: expect.any(String) },
    })
    const { path, body } = follow(end, to, '/chat')
    const next = await stream(path, body)
    expect(next.text).toContain('All right')
    const [call] = (await world().messages(id)).flatMap(({ tool_calls }) => tool_calls)
    expect(call).toMatchObject({ status, result: expect.stringContaining(result) })
  })

  test.each([
    ['approve', { status: 'approved', edited_arguments: null }],
    ['reject', { status: 'rejected' }],
    ['edit', { status: 'approved', edited_arguments: { command: 'rm decide edit' } }],
  ] as const)('[D5] by the confirmation’s own address too: %s', async (to, decided) => {
    world().learn({ [`rest: decide ${to}`]: [{ calls: [bash(`rm decide ${to}`)] }, { text: 'All right' }] })
    const id = await world().newSession()
    const { end } = await converse(id, `rest: decide ${to}`)
    const { path, body } = follow(end, to, '/api/confirmations/')
    const answer: Answer<Confirmation> = await world().rest('POST', path, { body })
    expect(answer).toMatchObject({ status: 200, body: decided })
  })

  test('[W11.3] an answer in the JSON form waits for the run, and says so when that asks again', async () => {
    const calls = [bash('rm one'), bash('rm two')]
    world().learn({ 'rest: twice': [{ calls }, { text: 'Both gone' }] })
    const id = await world().newSession()
    const { end } = await converse(id, 'rest: twice')
    const first = follow(end, 'approve', '/chat')
    const again: Answer<RestChatResult> = await world().rest('POST', first.path, { body: first.body })
    expect(again).toMatchObject({ status: 200, body: { session_status: 'waiting_for_input' } })
    const second = follow(again.body as unknown as Waiting, 'approve', '/chat')
    const last: Answer<RestChatResult> = await world().rest('POST', second.path, { body: second.body })
    expect(last).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(last.body).not.toHaveProperty('answer_with')
  })

  test('[W10.12] the JSON form is headless: it does not ask, and says what it would have needed', async () => {
    world().learn({ 'rest: headless': [{ calls: [bash('rm it')] }, { text: 'no' }] })
    const id = await world().newSession()
    const answer = await world().rest('POST', `/api/sessions/${id}/chat`, { body: { message: 'rest: headless' } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'confirmation_required', tool_name: 'Bash' } })
  })

  test.each([
    ['neither a message nor an answer', {}, { status: 422, body: { code: 'invalid_payload' } }],
    [
      'an answer to nothing',
      { askuser_answer: { tool_call_id: 'tc_none' } },
      { status: 409, body: { code: 'ask_not_pending' } },
    ],
  ])('[W11.3] %s is refused', async (_, body, answer) => {
    const id = await world().newSession()
    expect(await world().rest('POST', `/api/sessions/${id}/chat`, { body })).toMatchObject(answer)
  })

  test('[W11.3] a session without a name is one that does not exist', async () => {
    const answer = await world().rest('POST', '/api/sessions//chat', { body: { message: 'hi' } })
    expect(answer).toMatchObject({ status: 404, body: { code: 'session_not_found' } })
  })

  test('[W11.3] a caller who answered a run under way and hangs up does not stop it', async () => {
    const lines = [{ calls: [askCall(), { name: 'Look', arguments: { name: 'rest-join' } }] }, { text: 'Together' }]
    world().learn({ 'rest: join': lines })
    await using chat = await world().chat()
    const ack = await chat.send('rest: join')
    await world().gates.reached('rest-join')
    const asked = await chat.until(({ payload }) => JSON.stringify(payload).includes('AskUserQuestion'))
    const tool_call_id = (asked.payload['data'] as { id: string }).id
    const answering = request(`${world().url}/api/sessions/${chat.session_id}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' },
    })
    answering.end(JSON.stringify({ askuser_answer: { tool_call_id, selections: { 0: [0] } } }))
    await chat.told('tool_result c1 done')
    answering.on('error', () => {})
    answering.destroy()
    // By the time this is answered the server knows that the caller is gone.
    await world().session(chat.session_id)
    world().gates.open('rest-join')
    expect((await chat.ended(ack)).end).toMatchObject({ status: 'completed', session_status: 'completed' })
  })
})
