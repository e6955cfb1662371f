import { expect, test, vi } from 'vitest'
import { fastClient, setUp } from '../../client/test/fast-client.ts'
import { KEY } from '../../client/test/scripted-server.ts'
import type { ScriptedSession } from '../../client/test/scripted-session.ts'
import { parley } from '../src/adapters/parley/parley.ts'
import type { ChatMessage } from '../src/model/chat-message.ts'
import { textOfMessage } from '../src/model/text-of-message.ts'
import { atOnce, openChat, scripted, shape, until } from './chat.ts'

const outline = (messages: readonly ChatMessage[]) =>
  messages.map(({ role, status, content, error }) => [role.type, error?.code ?? status, content[0]?.content])

test('[K18] a message that the server refused stays in the list, whatever happens in the session', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const session = setup.server.session(chat.getSnapshot().conversationID)
  session.begin() // A run that this page has not heard of yet.
  chat.setTextInput('mine')
  await expect(chat.send('mine', { fromInput: true })).rejects.toMatchObject({ code: 'busy' })
  await session.start()
  await session.user('theirs')
  await until(chat, ({ messages }) => messages.some((message) => textOfMessage(message) === 'theirs'))
  expect(outline(chat.getSnapshot().messages.slice(2))).toEqual([
    ['User', 'completed', 'mine'],
    ['Assistant', 'busy', undefined],
    ['User', 'completed', 'theirs'],
  ])
})

test('[K18] a refused message is tried again in its own place, with its files', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const session = setup.server.session(chat.getSnapshot().conversationID)
  session.begin()
  await chat.addAttachment(new File(['a,b'], 'list.csv', { type: 'text/csv' }))
  await expect(chat.send('mine', { fromInput: true })).rejects.toMatchObject({ code: 'busy' })
  session.run_id = null
  const { messages } = chat.getSnapshot()
  await chat.regenerate(messages.at(-1)!.messageID)
  expect(setup.server.commands.findLast(({ name }) => name === 'chat:send')?.payload).toMatchObject({
    message: [
      { type: 'text', text: 'mine' },
      { type: 'file', name: 'list.csv', data: btoa('a,b') },
    ],
  })
  const after = chat.getSnapshot().messages
  expect(after.map(({ role }) => role.type)).toEqual(['User', 'Assistant', 'User', 'Assistant'])
  expect(after.at(-1)).toMatchObject({ status: 'completed' })
})

test('[K18] a message that arrived although its answer was given up is shown once', async () => {
  await using setup = await setUp()
  using chat = openChat({
    adapter: { ...parley({ client: setup.client }), send: refuse },
    schedule: atOnce,
  })
  await expect(chat.send('late')).rejects.toMatchObject({ code: 'timeout' })
  const session = setup.server.session(chat.getSnapshot().conversationID)
  session.begin()
  await session.start()
  await session.user('late')
  await until(chat, ({ messages }) => messages[0]?.messageID === 'turn_0')
  expect(outline(chat.getSnapshot().messages)).toEqual([['User', 'completed', 'late']])
})

test('[K18] a message that failed stays although another tab says the same words', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const session = setup.server.session(chat.getSnapshot().conversationID)
  session.begin() // Of the other tab.
  await expect(chat.send('yes')).rejects.toMatchObject({ code: 'busy' })
  await session.start()
  await saySame(session, 'cm_of_the_other_tab')
  await until(chat, ({ messages }) => messages.some((message) => message.messageID === 'turn_same'))
  expect(outline(chat.getSnapshot().messages.slice(2))).toEqual([
    ['User', 'completed', 'yes'],
    ['Assistant', 'busy', undefined],
    ['User', 'completed', 'yes'],
  ])
})

test('[K18] of two equal messages in a row, the one that arrived after all is shown once', async () => {
  await using setup = await setUp()
  const adapter = parley({ client: setup.client })
  let isDown = false
  using chat = openChat({
    adapter: { ...adapter, send: (...request) => (isDown ? refuse() : adapter.send(...request)) },
    schedule: atOnce,
  })
  await chat.send('one')
  isDown = true
  await expect(chat.send('yes')).rejects.toMatchObject({ code: 'timeout' })
  await expect(chat.send('yes')).rejects.toMatchObject({ code: 'timeout' })
  const session = setup.server.session(chat.getSnapshot().conversationID)
  const { client_message_id = '' } = chat.getSnapshot().messages[2]!
  session.begin()
  await session.start()
  await saySame(session, client_message_id)
  await until(chat, ({ messages }) => messages.some((message) => message.messageID === 'turn_same'))
  expect(outline(chat.getSnapshot().messages.slice(2))).toEqual([
    ['User', 'completed', 'yes'],
    ['User', 'completed', 'yes'],
    ['Assistant', 'timeout', undefined],
  ])
})

test('[K20.5] a message goes to the server under the id it has in the list', async () => {
  await using setup = await setUp()
  const sent: ChatMessage[] = []
  const adapter = parley({ client: setup.client })
  using chat = openChat({ adapter, schedule: atOnce, onMessage: (message) => sent.push(message) })
  await chat.send('one')
  const command = setup.server.commands.find(({ name }) => name === 'chat:send')
  expect(sent[0]?.client_message_id).toMatch(/^user_/)
  expect(command?.payload).toMatchObject({ client_message_id: sent[0]?.client_message_id })
})

test('[K20.5] what the server has named already is asked again as a message of its own', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const session = setup.server.session(chat.getSnapshot().conversationID)
  await session.start()
  await saySame(session, 'user_before')
  const answer = { turn_id: 'turn_answer', id: 'turn_answer', sequence: 91, role: 'assistant' }
  await session.emit('turn:start', { ...SAID, ...answer })
  await session.emit('turn:end', { ...SAID, ...answer })
  await session.end()
  await until(chat, ({ messages }) => messages.at(-1)?.messageID === 'turn_answer')
  await chat.send('yes', { regenerate: 'turn_answer' })
  const ids = setup.server.commands.flatMap(({ name, payload }) =>
    name === 'chat:send' ? [(payload as { client_message_id?: string }).client_message_id] : [],
  )
  expect(ids).toHaveLength(2)
  expect(ids).not.toContain('user_before')
})

const SAID = {
  ...{ loop_id: 'root', kind: 'message', status: 'completed', blocks: [{ type: 'text', content: 'yes' }] },
  ...{ tool_calls: [], patch_sequence: 0 },
}

/** A user's turn that says who sent it. */
async function saySame(session: ScriptedSession, client_message_id: string): Promise<void> {
  const turn = { ...SAID, turn_id: 'turn_same', id: 'turn_same', sequence: 90, role: 'user', client_message_id }
  await session.emit('turn:start', turn)
  await session.emit('turn:end', turn)
}

async function* refuse(): AsyncGenerator<never> {
  yield* []
  throw Object.assign(new Error('late'), { name: 'TimeoutError' })
}

test('[K18] why a run failed before it said anything is told until something else is said', async () => {
  await using setup = await setUp()
  setup.server.scripts['early'] = async (session, { message }) => {
    await session.start()
    await session.user(String(message))
    await session.end({ status: 'failed', error: { code: 'llm_error', message: 'The provider hung up.' } })
  }
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await expect(chat.send('early')).rejects.toMatchObject({ platformCode: 'llm_error' })
  const session = setup.server.session(chat.getSnapshot().conversationID)
  session.begin()
  await session.start()
  await session.user('next')
  await until(chat, ({ messages }) => messages.some((message) => textOfMessage(message) === 'next'))
  expect(outline(chat.getSnapshot().messages)).toEqual([
    ['User', 'completed', 'early'],
    ['Assistant', 'server', undefined],
    ['User', 'completed', 'next'],
  ])
})

test('[W10.5] a refused answer leaves the question waiting, and another one takes its place', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('question')
  const refused = chat.answerQuestion({ questionID: 'tc_ask', selections: { 0: [7] }, custom: {} })
  await expect(refused).rejects.toMatchObject({ platformCode: 'invalid_answer', retryable: false })
  expect(shape(chat.getSnapshot().messages[1])).toMatchObject([['Question', { state: 'waiting' }]])
  await chat.answerQuestion({ questionID: 'tc_ask', selections: { 0: [0] }, custom: {} })
  const { messages } = chat.getSnapshot()
  expect(messages.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  expect(shape(messages[1])).toMatchObject([['Question', { state: 'answered' }]])
})

test('[K14] a confirmation that no longer waits is not shown as approved', async () => {
  const confirmation = {
    ...{ confirmationId: 'c', message: 'Delete?', action: { type: 'Bash', target: '', params: {} } },
    ...({ risk: 'high', preview: '', state: 'waiting' } as const),
  }
  const script = scripted({
    async *answerConfirmation() {
      yield* []
      throw Object.assign(new Error('gone'), { name: 'ChatKitError', code: 'not_found', isNotWaiting: true })
    },
  })
  using chat = openChat({ adapter: script.adapter, schedule: atOnce })
  const sent = chat.send('delete it')
  await until(chat, ({ messages }) => messages.length === 2)
  await script.say({ op: 'block', block: { type: 'Confirmation', key: 'c', content: confirmation } }, { op: 'end' })
  await sent
  await expect(chat.answerConfirmation({ confirmationId: 'c', approved: true })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(shape(chat.getSnapshot().messages[1])).toEqual([['Confirmation', confirmation]])
})

test('[K5.2] a waiting message leaves the input box at once, and what is written after it stays', async () => {
  const script = scripted({
    upload: async (file) => ({ name: file.name, mediaType: file.type, size: file.size, id: file.name }),
  })
  using chat = openChat({ adapter: script.adapter, whileStreaming: 'queue', schedule: atOnce })
  const first = chat.send('a')
  await script.say({ op: 'text', key: 't', text: 'x' })
  await chat.addAttachment(new File(['1'], 'b.txt'))
  chat.setTextInput('b')
  const second = chat.send('b', { fromInput: true })
  expect(chat.getSnapshot()).toMatchObject({ textInput: '', attachments: [], queue: [{ text: 'b' }] })
  chat.setTextInput('next thought')
  await script.say({ op: 'end' })
  await first
  await script.say({ op: 'end' })
  await second
  expect(chat.getSnapshot().textInput).toBe('next thought')
  expect(script.calls[1]).toMatchObject(['send', { text: 'b', attachments: [{ id: 'b.txt' }] }])
})

test('[K5.5] what is written while a conversation is being made is not lost', async () => {
  const made = Promise.withResolvers<string>()
  const script = scripted({ createConversation: () => made.promise })
  using chat = openChat({ adapter: script.adapter, schedule: atOnce })
  chat.setTextInput('one')
  const sent = chat.send('one', { fromInput: true })
  chat.setTextInput('one two')
  made.resolve('c1')
  await until(chat, ({ messages }) => messages.length === 2)
  expect(chat.getSnapshot().textInput).toBe(' two')
  await script.say({ op: 'end' })
  await sent
})

test('[K12.2] what is asked again is asked with its files', async () => {
  const script = scripted({
    upload: async (file) => ({ name: file.name, mediaType: file.type, size: file.size, id: file.name }),
  })
  using chat = openChat({ adapter: script.adapter, schedule: atOnce })
  await chat.addAttachment(new File(['1'], 'b.txt'))
  const first = chat.send('look', { fromInput: true })
  await until(chat, ({ messages }) => messages.length === 2)
  await script.say({ op: 'text', key: 't', text: 'x' }, { op: 'end' })
  const { messageID } = (await first)!
  const second = chat.regenerate(messageID)
  await vi.waitFor(() => expect(script.calls).toHaveLength(2))
  await script.say({ op: 'text', key: 't', text: 'y' }, { op: 'end' })
  await second
  expect(script.calls[1]).toMatchObject(['send', { regenerate: messageID, attachments: [{ id: 'b.txt' }] }])
})

test('[W10.14] the mode is asked for only when the user chose it', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  chat.setMode('planning')
  await chat.send('two')
  const modes = setup.server.commands.filter(({ name }) => name === 'chat:send').map(({ payload }) => payload['mode'])
  expect(modes).toEqual([undefined, 'planning'])
})

test('[W10.14] the question stays in the list while the mode changes before it', async () => {
  await using setup = await setUp()
  setup.server.scripts['plan'] = async (session, { message }) => {
    await session.start()
    const blocks = [{ type: 'mode_change', content: { from: 'executing', to: 'planning' } }]
    const change = await session.assistant({ role: 'system', blocks } as Parameters<typeof session.assistant>[0])
    await change.end()
    await session.user(String(message))
    const turn = await session.assistant()
    await turn.say('A plan.')
    await turn.end()
    await session.end()
  }
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const seen: string[] = []
  chat.subscribe(() => {
    const { messages } = chat.getSnapshot()
    if (messages.length > 2) seen.push(messages.map(({ role }) => role.type).join())
    else if (seen.length > 0) seen.push('gone')
  })
  await chat.send('plan')
  expect(new Set(seen)).toEqual(new Set(['User,Assistant,User,Assistant']))
})

test('[K20.5] a history that is read late hides neither the run under way nor what it said since', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const sent = chat.send('stop')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  const { conversationID } = chat.getSnapshot()
  const read = Promise.withResolvers<void>()
  setup.server.routes[`GET /api/sessions/${conversationID}/tasks`] = async () => {
    await read.promise
    return { status: 200, body: [] }
  }
  const client = fastClient(setup.server.url)
  using late = openChat({ adapter: parley({ client }), conversationID, schedule: atOnce })
  const opened = late.initialise()
  await until(late, ({ isActiveElsewhere }) => isActiveElsewhere)
  read.resolve()
  await opened
  expect(late.getSnapshot()).toMatchObject({ isActiveElsewhere: true, messages: [{}, { status: 'streaming' }] })
  await chat.stop()
  await sent
  client.socket().disconnect()
})

test('[K5] reading the conversation anew during a run leaves the way to stop it', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const sent = chat.send('stop')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  await chat.loadConversation(chat.getSnapshot().conversationID)
  await sent
  expect(chat.getSnapshot()).toMatchObject({ run: null, isActiveElsewhere: true })
  await chat.stop()
  await until(chat, ({ isActiveElsewhere, messages }) => !isActiveElsewhere && messages.at(-1)?.status === 'stopped')
})

test('[K20.5] a token that expires during a run is renewed, and nothing of the run is lost', async () => {
  await using setup = await setUp()
  const isRenewed = Promise.withResolvers<void>()
  setup.server.scripts['slow'] = async (session, { message }) => {
    await session.start()
    await session.user(String(message))
    const turn = await session.assistant()
    await turn.say('one ')
    await isRenewed.promise
    await turn.say('two')
    await turn.end()
    await session.end()
  }
  setup.server.keys.add('fresh')
  const refreshToken = vi.fn<() => Promise<string>>(async () => 'fresh')
  const adapter = parley({ baseUrl: setup.server.url })
  using chat = openChat({ adapter, token: KEY, refreshToken, schedule: atOnce })
  const sent = chat.send('slow')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  setup.server.revoke(KEY)
  await vi.waitFor(() => expect(refreshToken).toHaveBeenCalled(), 45_000)
  isRenewed.resolve()
  expect(shape(await sent)).toEqual([['Markdown', 'one two']])
  expect(refreshToken).toHaveBeenCalledTimes(1)
})

test('[K20.5] a session that is deleted during a run ends the run', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const sent = chat.send('stop')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  const session = setup.server.session(chat.getSnapshot().conversationID)
  await session.emit('session:deleted', {})
  await expect(sent).rejects.toMatchObject({ code: 'not_found', isConversationGone: true })
})

test('[K14] many actions for the page are delivered once each', async () => {
  const script = scripted()
  const onBridge = vi.fn<() => void>()
  using chat = openChat({ adapter: script.adapter, onBridge, schedule: atOnce })
  const sent = chat.send('draw')
  await until(chat, ({ messages }) => messages.length === 2)
  const actions = Array.from({ length: 1500 }, (_, index) => ({
    ...({ op: 'bridge', action: 'map.add' } as const),
    ...{ payload: index, id: `call:${index}` },
  }))
  await script.say(...actions, ...actions, { op: 'end' })
  await sent
  expect(onBridge).toHaveBeenCalledTimes(1500)
})

test('[K5.5] a message waits for the files that were added to it, once, and stays when one cannot be had', async () => {
  let uploaded = Promise.withResolvers<void>()
  const script = scripted({
    upload: async (file) => {
      await uploaded.promise
      return { name: file.name, mediaType: file.type, size: file.size, id: file.name }
    },
  })
  using chat = openChat({ adapter: script.adapter, schedule: atOnce })
  void chat.addAttachment(new File(['1'], 'slow.txt'))
  chat.setTextInput('read this')
  const sent = chat.send('read this', { fromInput: true })
  await expect(chat.send('read this', { fromInput: true })).rejects.toMatchObject({ code: 'busy' })
  chat.setTextInput('read this and more')
  uploaded.resolve()
  await until(chat, ({ messages }) => messages.length === 2)
  expect(chat.getSnapshot()).toMatchObject({ textInput: ' and more', attachments: [] })
  await script.say({ op: 'end' })
  await sent
  expect(script.calls).toMatchObject([['send', { attachments: [{ id: 'slow.txt' }] }]])

  uploaded = Promise.withResolvers()
  const lost = chat.addAttachment(new File(['1'], 'lost.txt'))
  const kept = chat.send(' and more', { fromInput: true })
  uploaded.reject(new Error('The disk is full.'))
  await expect(lost).rejects.toThrow('The disk is full.')
  await expect(kept).rejects.toThrow('The disk is full.')
  expect(chat.getSnapshot()).toMatchObject({ textInput: ' and more', run: null })
})

test('[K20.5] an address with a stray percent sign does not make the conversation unreadable', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession('pictures')
  const session = setup.server.session(session_id)
  const url = 'https://example.org/100%.png?size=2'
  await session.emit('turn:start', {
    ...{ turn_id: 't', id: 't', sequence: 0, loop_id: 'root', kind: 'message', role: 'user', status: 'completed' },
    ...{ blocks: [{ type: 'text', content: 'look' }], tool_calls: [], patch_sequence: 0 },
    content_parts: [{ type: 'image_url', image_url: { url } }],
  })
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.loadConversation(session_id)
  expect(shape(chat.getSnapshot().messages[0])).toMatchObject([
    ['Text', 'look'],
    ['File', { name: '100%.png', url }],
  ])
})

test('[K5.2] a message that interrupts the run before it is taken', async () => {
  await using setup = await setUp()
  const adapter = parley({ client: setup.client })
  using chat = openChat({ adapter, schedule: atOnce, whileStreaming: 'interrupt' })
  void chat.send('stop')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  expect(shape(await chat.send('mine'))).toEqual([['Markdown', '法国的首都是巴黎。']])
  expect(chat.getSnapshot().messages.map(({ status }) => status)).toEqual([
    ...['completed', 'stopped'],
    ...['completed', 'completed'],
  ])
})
