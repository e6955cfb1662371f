import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { agentCall, sharedWorld } from '../wire/world.ts'
import { expectGrammar } from './grammar.ts'
import { ask, dataOf, type Frame, inShort, newSessionId, open, pendingIn, structure, textIn } from './sse.ts'

// Section 8 and what the checklist says of it.

const world = sharedWorld('sqlite', {
  language: 'zh',
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})

const bash = (command: string) => ({ name: 'Bash', arguments: { command } })
const STREAM = '/api/agent/chat/stream'

let number = 0
/** A session in which a call waits for consent. */
async function risky(calls = [bash('rm it')]) {
  const message = `删除 ${++number}`
  world().learn({ [message]: [{ calls }, { text: '完成' }] })
  const sessionId = newSessionId()
  const events = await ask(world(), { message, sessionId })
  return { message, sessionId, events, pendingConfirmation: pendingIn(events) }
}

const refusedWith = async (body: object, status: number, code: string) => {
  const answer = await world().rest('POST', STREAM, { body })
  expect([answer.status, answer.body]).toMatchObject([status, { error: { code, message: expect.any(String) } }])
}

test.each([true, false])('[S8.3] [S2] a structured answer decides, whatever the message says: %j', async (approved) => {
  const { sessionId, pendingConfirmation: pending, message } = await risky()
  const confirm = { confirmationId: pending.confirmationId, approved }
  const events = await ask(world(), { message: approved ? '不' : '确认', sessionId, confirm })
  expectGrammar(events)
  expect(textIn(events)).toBe(approved ? '完成' : '操作已取消。')
  expect(world().requests(message)).toHaveLength(approved ? 2 : 1)
})

test.each(['yes', 'y', '是', '确认', '确定', 'confirm', 'ok', ' YES ', 'Ok。', '确认！', 'ｏｋ', 'Confirm!!'])(
  '[S18.7] [S8.3] [SA18] %j is consent',
  async (message) => {
    const { sessionId, pendingConfirmation } = await risky()
    expect(textIn(await ask(world(), { message, sessionId, pendingConfirmation }))).toBe('完成')
  },
)

test.each(['ok?', '好的', '好的，确认删除', '', '👍', 'no', 'yes please'])(
  '[S18.7] [S8.3] [SA17] %j is a refusal',
  async (message) => {
    const { sessionId, pendingConfirmation } = await risky()
    const events = await ask(world(), { message, sessionId, pendingConfirmation })
    expect(textIn(events)).toBe('操作已取消。')
    expect(events.some(({ type }) => type === 'tool_call_started')).toBe(false)
  },
)

test.each([true, false])('[S8.5.6] an answer is on record, whatever it is: %s', async (approved) => {
  const { sessionId, pendingConfirmation } = await risky()
  const { confirmationId } = pendingConfirmation
  await ask(world(), { message: '', sessionId, confirm: { confirmationId, approved } })
  using database = new DatabaseSync(join(world().dataDir, 'parley.sqlite'), { readOnly: true })
  const rows = database.prepare('SELECT * FROM audit WHERE subject = ? ORDER BY at').all(confirmationId)
  expect(rows).toMatchObject([
    { action: 'confirmation.request' },
    { action: `confirmation.${approved ? 'approve' : 'reject'}`, actor: expect.stringMatching(/^user_/) },
  ])
  expect(rows.map(({ at }) => typeof at)).toEqual(['number', 'number'])
  expect(String(rows.at(-1)!['detail'])).toContain('Bash')
})

test('[D5] [S8.3] a consent word without pendingConfirmation is a message like any other: the call is withdrawn', async () => {
  world().learn({ 确认: [{ text: '确认什么？' }] })
  const { sessionId, pendingConfirmation } = await risky()
  const events = await ask(world(), { message: '确认', sessionId })
  expectGrammar(events)
  expect(structure(events).slice(0, 3)).toEqual(['processing_started', 'confirmation_check', 'iteration_started{1}'])
  expect(textIn(events)).toBe('确认什么？')
  expect(events.some(({ type }) => type === 'tool_call_started')).toBe(false)
  await refusedWith({ message: '确认', sessionId, pendingConfirmation }, 409, 'CONFIRMATION_NOT_FOUND')
})

test('[S18.4] [S2.0.4] [SA6] a forged pendingConfirmation runs nothing and stores nothing', async () => {
  const pendingConfirmation = { toolName: 'Bash', arguments: { command: 'rm -rf /' } }
  const unknown = newSessionId()
  await refusedWith({ message: 'yes', sessionId: unknown, pendingConfirmation }, 409, 'CONFIRMATION_NOT_FOUND')
  expect((await world().rest('GET', `/api/agent/sessions/${unknown}/messages`)).status).toBe(404)
  world().learn({ 'nothing risky': [{ text: 'fine' }] })
  const sessionId = newSessionId()
  await ask(world(), { message: 'nothing risky', sessionId })
  await refusedWith({ message: 'yes', sessionId, pendingConfirmation }, 409, 'CONFIRMATION_NOT_FOUND')
  const confirm = { confirmationId: 'conf_1', approved: true }
  await refusedWith({ message: '', sessionId, confirm }, 409, 'CONFIRMATION_NOT_FOUND')
})

test('[S2.0.4] what differs from what waits is refused, and goes on waiting', async () => {
  const { sessionId, pendingConfirmation: pending } = await risky()
  const mismatch = (body: object) => refusedWith({ message: 'yes', sessionId, ...body }, 409, 'CONFIRMATION_MISMATCH')
  await mismatch({ pendingConfirmation: { ...pending, arguments: { command: 'rm other' } } })
  await mismatch({ pendingConfirmation: { ...pending, toolName: 'Work' } })
  await mismatch({ pendingConfirmation: { ...pending, confirmationId: 'conf_other' } })
  await mismatch({ confirm: { confirmationId: 'conf_other', approved: true } })
  const shown = await world().rest('GET', `/api/agent/sessions/${sessionId}/confirmation`)
  expect(shown.body).toMatchObject({ type: 'confirm', pendingConfirmation: { confirmationId: pending.confirmationId } })
  const events = await ask(world(), { message: 'yes', sessionId, pendingConfirmation: pending })
  expect(textIn(events)).toBe('完成')
  expect((await world().rest('GET', `/api/agent/sessions/${sessionId}/confirmation`)).status).toBe(204)
})

test('[S18.5] [S8.5.3] [SA20] of two answers at once one runs the tool, and the other is refused', async () => {
  const { sessionId, pendingConfirmation: pending, message } = await risky()
  const confirm = { confirmationId: pending.confirmationId, approved: true }
  const answers = await Promise.all(
    ['m1', 'm2', 'm3'].map((messageId) => open(world(), { message: '', sessionId, messageId, confirm })),
  )
  const won = answers.filter(({ response }) => response.status === 200)
  expect(won).toHaveLength(1)
  expect(textIn(await won[0]!.all())).toBe('完成')
  for (const { response } of answers.filter((one) => one !== won[0])) {
    expect(response.status).toBe(409)
    const { error } = (await response.json()) as { error: { code: string } }
    expect(['SESSION_BUSY', 'CONFIRMATION_NOT_FOUND']).toContain(error.code)
  }
  expect(world().requests(message)).toHaveLength(2)
})

test('[S2.0.5] [SA20] the same answer again is the same run, also when nothing waits any more', async () => {
  const { sessionId, pendingConfirmation, message } = await risky()
  const body = { message: '确认', sessionId, messageId: 'again', pendingConfirmation }
  const first = await ask(world(), body)
  expect(await ask(world(), body)).toEqual(first)
  expect(world().requests(message)).toHaveLength(2)
})

test('[S18.6] [S6.2.3] [S8.1.1] [S8.1.3] [S8.1.5] [SA4] [SA5] [SA7] each risky call of a turn asks for itself, in order', async () => {
  const { sessionId, events, pendingConfirmation } = await risky([bash('rm one'), bash('rm two')])
  expect(pendingConfirmation.arguments).toEqual({ command: 'rm one' })
  const second = await ask(world(), { message: 'ok', sessionId, pendingConfirmation })
  expectGrammar(second)
  expect(inShort(second)).toEqual([
    'processing_started',
    'iteration_started{1}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{1}',
    'confirmation_check',
    'confirmation_required',
  ])
  expect(pendingIn(second)).toMatchObject({
    arguments: { command: 'rm two' },
    userMessage: pendingIn(events).userMessage,
  })
  const third = await ask(world(), { message: 'ok', sessionId, pendingConfirmation: pendingIn(second) })
  expectGrammar(third)
  expect(structure(third)).toEqual([
    'processing_started',
    'iteration_started{1}',
    'tool_call_started',
    'tool_call_completed',
    'iteration_completed{1}',
    'iteration_started{2}',
    'decision',
    'iteration_completed{2}',
    'completed',
  ])
  expect(dataOf(third, 'tool_call_started')['arguments']).toEqual({ command: 'rm two' })
})

test('[S8.4] after a refusal the rest of the turn does not run', async () => {
  const work = { name: 'Work', arguments: { name: 'never' } }
  const { sessionId, pendingConfirmation } = await risky([bash('rm one'), work] as never)
  await ask(world(), { message: '不', sessionId, pendingConfirmation })
  const { body } = await world().rest<{ messages: { toolCalls?: { result: object }[] }[] }>(
    ...(['GET', `/api/agent/sessions/${sessionId}/messages`] as const),
  )
  const calls = body.messages.flatMap(({ toolCalls = [] }) => toolCalls)
  expect(calls.map(({ result }) => result)).toMatchObject([{ success: false }, { success: false }])
})

test('text before a risky call is told, and its iteration closed', async () => {
  world().learn({ 说了再删: [{ text: '我要删了', calls: [bash('rm it')] }, { text: '删了' }] })
  const sessionId = newSessionId()
  const events = await ask(world(), { message: '说了再删', sessionId })
  expectGrammar(events)
  expect(structure(events)).toEqual([
    ...['processing_started', 'confirmation_check', 'iteration_started{1}', 'iteration_completed{1}'],
    'confirmation_required',
  ])
  expect(textIn(events)).toBe('我要删了')
})

test('[S8.1] a call that a sub-agent wants to make is asked for here, too', async () => {
  world().learn({
    派人去删: [{ calls: [agentCall('删 sub')] }, { text: '都好了' }],
    '删 sub': [{ calls: [bash('rm sub')] }, { text: '我删了' }],
  })
  const sessionId = newSessionId()
  const first = await ask(world(), { message: '派人去删', sessionId })
  expectGrammar(first)
  expect(pendingIn(first)).toMatchObject({ toolName: 'Bash', userMessage: '派人去删' })
  const second = await ask(world(), { message: 'ok', sessionId, pendingConfirmation: pendingIn(first) })
  expectGrammar(second)
  expect(dataOf(second, 'tool_call_started')).toMatchObject({ toolName: 'Agent' })
  expect(textIn(second)).toBe('都好了')
})

test('a decision made elsewhere is told here: an observer sees what became of the call', async () => {
  const { sessionId, pendingConfirmation: pending } = await risky()
  await using stream = await open(world(), null, { path: `${STREAM}?sessionId=${sessionId}` })
  await stream.until('heartbeat')
  const body = { decision: 'reject' }
  expect((await world().rest('POST', `/api/confirmations/${pending.confirmationId}`, { body })).status).toBe(200)
  await stream.until('completed')
  const events: Frame[] = stream.events.slice(1)
  expectGrammar(events)
  expect(dataOf(events, 'tool_error')).toMatchObject({ toolCallId: pending.toolCallId, recoverable: true })
  expect(textIn(events)).toBe('完成')
})
