import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { ask, newSessionId, pendingIn, textIn } from './sse.ts'

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
  faces: { agentSse: { maxIterations: 2, maxConcurrent: 10, maxDuration: 300_000, heartbeatInterval: 15_000 } },
})
const chat = (body: object) => world().rest('POST', '/api/agent/chat', { body: { sessionId: newSessionId(), ...body } })
const bash = { name: 'Bash', arguments: { command: 'rm it' } }

test('[S2] [S8.2] one answer at the end: the text of the last turn, with what was called', async () => {
  world().learn({
    'look it up': [
      { text: 'Let me see. ', calls: [{ name: 'Break', arguments: { why: 'no' } }] },
      { text: 'Nothing there.' },
    ],
  })
  const { status, body } = await chat({ message: 'look it up' })
  expect([status, body]).toEqual([
    200,
    {
      type: 'execute',
      message: 'Nothing there.',
      toolCalls: [{ toolName: 'Break', arguments: { why: 'no' }, result: { success: false, content: 'it broke: no' } }],
    },
  ])
})

test('[S8.2] what waits, what was refused, what reached its limit and what failed is said', async () => {
  world().learn({
    'delete it': [{ calls: [bash] }],
    'on and on': () => ({ calls: [{ name: 'Break', arguments: { why: 'x' } }] }),
    'fail now': [{ error: { status: 400, message: 'no' } }],
  } as never)
  const sessionId = newSessionId()
  const waiting = (await chat({ message: 'delete it', sessionId })).body
  expect(waiting).toMatchObject({
    type: 'confirm',
    action: { type: 'Bash' },
    pendingConfirmation: { toolName: 'Bash' },
  })
  const { pendingConfirmation } = waiting
  const refused = await chat({ message: 'no', sessionId, pendingConfirmation })
  expect(refused.body).toEqual({ type: 'execute', message: 'The operation was cancelled.', data: { cancelled: true } })
  expect((await chat({ message: 'on and on' })).body).toMatchObject({
    type: 'execute',
    data: { partial: true, iterations: 2 },
  })
  const failed = await chat({ message: 'fail now' })
  expect([failed.status, failed.body]).toMatchObject([
    200,
    { type: 'execute', data: { error: true, code: 'LLM_API_ERROR' } },
  ])
})

test('[S1] messages tell the conversation, one answer for each', async () => {
  world().learn({ 'delete, please': [{ text: 'I will. ', calls: [bash] }, { text: 'Deleted.' }] })
  const sessionId = newSessionId()
  const first = await ask(world(), { message: 'delete, please', sessionId, messageId: 'm1' })
  const read = async () =>
    (await world().rest<{ messages: object[] }>('GET', `/api/agent/sessions/${sessionId}/messages`)).body.messages
  expect(await read()).toMatchObject([
    { id: 'm1', role: 'user', content: 'delete, please', timestamp: expect.stringMatching(/Z$/) },
    { role: 'assistant', content: 'I will. ', responseType: 'confirm' },
  ])
  const events = await ask(world(), {
    message: 'ok',
    sessionId,
    messageId: 'm2',
    pendingConfirmation: pendingIn(first),
  })
  expect(textIn(events)).toBe('Deleted.')
  expect(await read()).toMatchObject([
    { id: 'm1', content: 'delete, please' },
    { role: 'assistant', content: 'I will. ', toolCalls: [{ toolName: 'Bash', result: { success: true } }] },
    { id: 'm2', role: 'user', content: 'ok' },
    { role: 'assistant', content: 'Deleted.' },
  ])
})

test('[S1] [S14] tools say what they take and whether they ask', async () => {
  const { body } = await world().rest<{ tools: { name: string }[] }>('GET', '/api/agent/tools')
  expect(body.tools.find(({ name }) => name === 'Work')).toEqual({
    name: 'Work',
    description: 'Changes something; waits at a gate.',
    parameters: [{ name: 'name', type: 'string', description: '', required: true }],
    riskLevel: 'medium',
    requiresConfirmation: false,
    plugin: 'builtin',
  })
})

test('[D1] the same session, here and over the socket: one conversation', async () => {
  world().learn({ 'from here': [{ text: 'Hello there.' }], 'from there': [{ text: 'Hello here.' }] })
  const sessionId = newSessionId()
  await ask(world(), { message: 'from here', sessionId })
  const { id } = (await world().sessions()).find(({ intent }) => intent === 'from here')!
  await using native = await world().chat({ session_id: id })
  await native.run('from there')
  const { body } = await world().rest<{ messages: { content: string }[] }>('GET', `/api/agent/sessions/${id}/messages`)
  expect(body.messages.map(({ content }) => content)).toEqual([
    'from here',
    'Hello there.',
    'from there',
    'Hello here.',
  ])
})
