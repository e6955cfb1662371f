// [K18] Which sentence a failure is told with, how often, and when it is no longer told.
import { expect, test } from 'vitest'
import { setUp } from '../../client/test/fast-client.ts'
import type { Script } from '../../client/test/scripted-server.ts'
import { parley } from '../src/adapters/parley/parley.ts'
import { parleyError, runError } from '../src/adapters/parley/parley-error.ts'
import { chatKitError } from '../src/model/chat-kit-error.ts'
import { failureText } from '../src/react/texts/failure-text.ts'
import { skinTexts } from '../src/react/texts/texts.ts'
import { atOnce, openChat, scripted, until } from './chat.ts'

/** [W10.9] The call failed before its first byte: a failed turn without blocks. */
const refused: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.end('failed', 'llm_error: The provider says: no credit left.')
  const error = { code: 'llm_error', message: 'The provider says: no credit left.' }
  await session.emit('system:error', { ...error, run_id: session.run_id })
  await session.end({ status: 'failed', error })
}

test('[W10.9] a failed run without a word is told once, in the server’s sentence; also after a reload and behind more', async () => {
  await using setup = await setUp()
  setup.server.scripts['refused'] = refused
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await expect(chat.send('refused')).rejects.toMatchObject({ platformCode: 'llm_error' })
  await chat.send('again')
  const { conversationID } = chat.getSnapshot()
  using reloaded = openChat({ adapter: parley({ client: setup.client }), conversationID, schedule: atOnce })
  await reloaded.initialise()
  for (const { messages } of [chat.getSnapshot(), reloaded.getSnapshot()]) {
    expect(messages.map(({ role, error }) => [role.type, error?.userMessage])).toEqual([
      ['User', undefined],
      ['Assistant', 'The provider says: no credit left.'],
      ['User', undefined],
      ['Assistant', undefined],
    ])
  }
})

test.each([
  [runError('llm_error', 'No credit left.'), 'No credit left.'],
  [runError('llm_error'), skinTexts.en.errors.server],
  [runError('rate_limited'), skinTexts.en.errors.rate_limited],
  [parleyError({ code: 'model_not_available', status: 422, message: 'There is no model X.' }), 'There is no model X.'],
  [parleyError({ code: 'session_busy', status: 409, message: 'Session sess_1 runs.' }), skinTexts.en.errors.busy],
  [parleyError(new TypeError('Failed to fetch')), skinTexts.en.errors.network],
])('[K18] %s is told as “%s”', (error, sentence) => {
  expect(failureText(error, skinTexts.en)).toBe(sentence)
})

test('[K18] a sentence from outside has a bound', () => {
  expect(runError('llm_error', 'x'.repeat(5000)).userMessage).toHaveLength(1001)
})

test('[K18] what kept a conversation from being opened is no longer told once something is said in it', async () => {
  const script = scripted({
    history: {
      list: async () => [],
      load: () => Promise.reject(chatKitError('network', 'No.')),
      remove: async () => {},
    },
  })
  using chat = openChat({ adapter: script.adapter, conversationID: 'a', schedule: atOnce })
  await chat.initialise()
  expect(chat.getSnapshot().conversationError).toMatchObject({ code: 'network' })
  const sent = chat.send('hello')
  await until(chat, ({ messages }) => messages.length === 2)
  await new Promise((resolve) => setImmediate(resolve))
  await script.say({ op: 'text', key: 't', text: 'Hi.' }, { op: 'end' })
  await sent
  expect(chat.getSnapshot()).toMatchObject({ conversationError: null, connection: 'connected', status: 'idle' })
})
