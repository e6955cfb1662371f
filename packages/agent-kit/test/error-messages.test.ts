import { expect, test } from 'vitest'
import { setUp } from '../../client/test/fast-client.ts'
import { sessionMessages } from '../src/messages/session-messages.ts'

test('[W14.5] the error of a failed run has an entry_id, and no two messages share one', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession()
  using session = setup.client.sessions.connect(session_id)
  await session.ready()
  const ended = new Promise((resolve) => session.on('chat:end', resolve))
  await session.send('fail')
  await ended
  const { messages } = sessionMessages(session.getState())
  expect(messages.at(-1)).toMatchObject({ role: 'error', entry_id: expect.stringMatching(/./) })
  const ids = messages.map(({ entry_id }) => entry_id)
  expect(new Set(ids).size).toBe(ids.length)
})
