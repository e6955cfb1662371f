import { createChatStore, parley } from '@parley/chatkit'
import { expect, test } from 'vitest'
import { setUp, type Setup } from '../../client/test/fast-client.ts'
import { useUiBridgeStore } from '../src/sessions/ui-bridge-store.ts'
import { sessionChatStore } from '../src/view/session-chat-store.ts'

async function openSession({ client }: Setup) {
  const { session_id: sessionId } = await client.sessions.createSession('test')
  const base = createChatStore({ adapter: parley({ client }), conversationID: sessionId, maxLength: 100 })
  const store = sessionChatStore(base, { client, sessionId, display: (messages) => messages })
  const leave = store.subscribe(() => {})
  await store.initialise()
  return {
    ...{ store, sessionId },
    [Symbol.dispose]() {
      leave()
      store.dispose()
    },
  }
}

test('[W10.5] a text that was refused as an answer is back in the input box', async () => {
  await using setup = await setUp()
  using opened = await openSession(setup)
  const { store, sessionId } = opened
  await store.send('question')
  // The server does not take answers right now.
  setup.server.sessions.delete(sessionId)
  store.setTextInput('the second one')
  await expect(store.send('the second one', { fromInput: true })).rejects.toMatchObject({ name: 'ChatKitError' })
  expect(store.getSnapshot().textInput).toBe('the second one')
})

test('[K5.1] a message that is too long leaves the pending contexts where they are', async () => {
  await using setup = await setUp()
  using opened = await openSession(setup)
  const { store, sessionId } = opened
  const { addPendingContext } = useUiBridgeStore.getState()
  addPendingContext(sessionId, { label: 'Row 7', content: '{"id":7}' })
  await expect(store.send('x'.repeat(101))).rejects.toMatchObject({ code: 'too_long' })
  expect(useUiBridgeStore.getState().pendingContextsBySession[sessionId]).toMatchObject([{ label: 'Row 7' }])
  await store.send('short')
  expect(useUiBridgeStore.getState().pendingContextsBySession[sessionId]).toEqual([])
  expect(store.getSnapshot().messages[0]?.applicationContext?.title).toBe('Row 7')
})
