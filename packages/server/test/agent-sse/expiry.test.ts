import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { expectGrammar } from './grammar.ts'
import { ask, newSessionId, pendingIn } from './sse.ts'

const world = sharedWorld('sqlite', {
  language: 'zh',
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 0.01 },
})

async function expired(message: string) {
  world().learn({ [message]: [{ calls: [{ name: 'Bash', arguments: { command: 'rm it' } }] }] })
  const sessionId = newSessionId()
  const pendingConfirmation = pendingIn(await ask(world(), { message, sessionId }))
  await using chat = await world().chat({ session_id: await nativeId(message) })
  const session = async () => (await world().session(chat.session_id)).status
  // Swept by the server itself; its subscribers are told.
  if ((await session()) === 'waiting_for_input') await chat.client.until('session:updated')
  return { sessionId, pendingConfirmation }
}

async function nativeId(intent: string): Promise<string> {
  return (await world().sessions()).find((session) => session.intent === intent)!.id
}

test.each([
  ['旧的一', { message: '确认' }],
  ['旧的二', { message: '' }],
])('[S8.5.4] [SA19] an answer that comes too late runs nothing and says so: %s', async (message, answer) => {
  const { sessionId, pendingConfirmation } = await expired(message)
  const events = await ask(world(), { ...answer, sessionId, messageId: 'm2', pendingConfirmation })
  expectGrammar(events)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['processing_started', { messageId: 'm2' }],
    ['content_chunk', { content: '确认已过期，请重新发起操作。', isComplete: true }],
    ['decision', { reason: 'Confirmation expired', completed: false }],
    ['completed', { messageId: 'm2', totalDuration: 0, iterations: 0, toolCalls: 0 }],
  ])
  const again = await world().rest('POST', '/api/agent/chat/stream', {
    body: { message: '确认', sessionId, pendingConfirmation },
  })
  expect([again.status, again.body]).toMatchObject([409, { error: { code: 'CONFIRMATION_NOT_FOUND' } }])
  expect(world().requests(message)).toHaveLength(1)
})
