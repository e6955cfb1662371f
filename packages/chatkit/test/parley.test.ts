import type { Suggestions } from '@parley/protocol/rest'
import { expect, test, vi } from 'vitest'
import { setUp, fastClient } from '../../client/test/fast-client.ts'
import { KEY, type ScriptedServer } from '../../client/test/scripted-server.ts'
import { parley } from '../src/adapters/parley/parley.ts'
import type { ChatStore } from '../src/store/create-chat-store.ts'
import { atOnce, openChat, shape, until } from './chat.ts'

test('[K20.5] a message makes a session; its turns are the messages', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const answer = await chat.send('法国的首都是哪里?')
  expect(answer).toMatchObject({ status: 'completed', content: [{ type: 'Markdown', content: '法国的首都是巴黎。' }] })
  const { messages, conversationID } = chat.getSnapshot()
  const { turns } = setup.server.session(conversationID).projection
  expect(messages.map(({ messageID }) => messageID)).toEqual(turns.map(({ turn_id }) => turn_id))
  expect(messages.map(({ role }) => role.type)).toEqual(['User', 'Assistant'])
  expect(shape(messages[0])).toEqual([['Text', '法国的首都是哪里?']])
})

test('[W12.13.2] conversations begin with the agent that the page names', async () => {
  await using setup = await setUp()
  const asked: unknown[] = []
  const { id } = setup.server.session()
  setup.server.routes['POST /api/sessions'] = ({ body }) => {
    asked.push(body)
    return { status: 200, body: { session_id: id } }
  }
  for (const agent of ['support', '']) {
    using chat = openChat({ adapter: parley({ client: setup.client, agent }), schedule: atOnce })
    await chat.createConversation()
  }
  expect(asked).toEqual([{ agent: 'support' }, {}])
})

test('[K20.5] a conversation has the title that the server gives it', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('法国的首都是哪里?')
  const { conversationID } = chat.getSnapshot()
  const titled = async () => (await chat.getConversations()).map(({ title }) => title)
  expect(await titled()).toEqual([''])
  setup.server.session(conversationID).intent = 'France'
  expect(await titled()).toEqual(['France'])
})

test('[K5.5] the question never leaves the list while the session catches up', async () => {
  await using setup = await setUp()
  const { plainText } = await import('../../client/test/scripts.ts')
  const acknowledged = Promise.withResolvers<void>()
  setup.server.scripts['late'] = async (session, command) => {
    await acknowledged.promise
    await plainText(session, command)
  }
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const lengths: number[] = []
  chat.subscribe(() => lengths.push(chat.getSnapshot().messages.length))
  const sent = chat.send('late')
  await until(chat, ({ messages }) => messages.length === 4)
  await vi.waitFor(() => expect(setup.server.commands.filter(({ name }) => name === 'chat:send')).toHaveLength(2))
  acknowledged.resolve()
  await sent
  expect(lengths.slice(lengths.indexOf(4)).every((length) => length === 4)).toBe(true)
})

test('[K20.5] thinking, a tool and its result; the same from history', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('tool')
  const { messages, conversationID } = chat.getSnapshot()
  expect(messages.map(shape)).toMatchObject([
    [['Text', 'tool']],
    [
      ['Reasoning', { text: '让我想想' }],
      ['Markdown', '我来帮你查看...'],
      ['Tool', { id: 'tc_001', name: 'Bash', input: { command: 'ls -la' }, output: 'total 48', status: 'done' }],
    ],
    [['Markdown', '当前目录有以下文件...']],
  ])
  using other = openChat({ adapter: parley({ client: setup.client }), conversationID, schedule: atOnce })
  await other.initialise()
  expect(other.getSnapshot().messages.map(shape)).toEqual(messages.map(shape))
})

test('[K20.5] a question waits in its form and is answered with selections', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const asked = await chat.send('question')
  expect(asked).toMatchObject({
    status: 'completed',
    content: [
      { type: 'Question', content: { questionID: 'tc_ask', state: 'waiting', questions: [{ header: '部署确认' }] } },
    ],
  })
  await chat.answerQuestion({ questionID: 'tc_ask', selections: { 0: [0] }, custom: {} })
  const { messages } = chat.getSnapshot()
  expect(messages[1]).toMatchObject({
    content: [{ content: { state: 'answered', answers: [{ selected: ['staging'] }] } }],
  })
  expect(shape(messages.at(-1))).toEqual([['Markdown', '部署到 staging。']])
})

test('[K20.5] a sub-agent’s turns are inside its call, not in the list', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('sub-agent')
  const { messages } = chat.getSnapshot()
  expect(messages).toHaveLength(2)
  expect(messages[1]?.content).toMatchObject([
    {
      type: 'SubAgent',
      content: {
        status: 'awaiting_answer',
        messages: [{ content: [{ type: 'Markdown' }, { type: 'Question', content: { askedBy: '数据清洗子任务' } }] }],
      },
    },
  ])
})

test('[K20.5] what an answer cites stands below it, and is opened where it stands', async () => {
  await using setup = await setUp()
  const found = { document_id: 'd', category: 'sales', excerpt: '30 days', score: 0.9, confidence: 'high' as const }
  const citations = [
    { ...found, ref: 4, title: 'Returns', headings: ['Returns', 'Deadlines'] },
    { ...found, ref: 2, title: null, headings: [] },
  ]
  setup.server.scripts['default'] = async (session) => {
    await session.start()
    await session.user('how long?')
    const turn = await session.assistant({ citations })
    await turn.say('30 days [4].')
    await turn.end()
    await session.end()
  }
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const answer = await chat.send('how long?')
  const entry = { content: '30 days', media: 'sales', link: '', icon: '', score: 0.9 }
  expect(answer?.content.at(-1)).toEqual({
    ...{ type: 'Sources', key: 'sources' },
    content: [
      { ...entry, title: 'Returns', position: 4, headings: ['Deadlines'], id: '4' },
      { ...entry, title: 'sales', position: 2, headings: [], id: '2' },
    ],
  })
  const { conversationID, messages } = chat.getSnapshot()
  expect(messages[0]?.content.map(({ type }) => type)).toEqual(['Text'])
  const passage = { ref: 4, before: 'a', passage: 'b', after: 'c' }
  setup.server.routes[`GET /api/sessions/${conversationID}/sources/4`] = () => ({ status: 200, body: passage })
  setup.server.routes[`GET /api/sessions/${conversationID}/sources/2`] = () => ({
    status: 404,
    body: { code: 'not_found', detail: 'Gone.' },
  })
  const open = (sourceID: string) => chat.adapter.openSource!({ conversationID, sourceID }, chat.openIO())
  expect(await open('4')).toMatchObject({ before: 'a', passage: 'b', after: 'c' })
  await expect(open('2')).rejects.toMatchObject({ name: 'ChatKitError', code: 'not_found' })
})

test('[K20.5] stop is chat:stop, and the answer ends as stopped', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const sent = chat.send('stop')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  await chat.stop()
  await sent
  expect(setup.server.commands.map(({ name }) => name)).toContain('chat:stop')
  expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'stopped' })
})

test('[K18] a failed run keeps what was shown and names the code', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await expect(chat.send('fail')).rejects.toMatchObject({ name: 'ChatKitError' })
  expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'failed', error: { name: 'ChatKitError' } })
})

test('[K20.5] what another client does in the session is followed', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const { conversationID, messages: before } = chat.getSnapshot()
  const other = fastClient(setup.server.url)
  using session = other.sessions.connect(conversationID)
  await session.send('two')
  const { messages } = await until(chat, ({ messages }) => messages.length === 4 && messages[3]?.status === 'completed')
  expect(shape(messages[2])).toEqual([['Text', 'two']])
  expect(messages.slice(0, 1)).toEqual(before.slice(0, 1))
  expect(messages[0]).toBe(before[0])
  other.socket().disconnect()
})

test('[K20.5] a refused token is refreshed once, and the session is reached with the new one', async () => {
  await using setup = await setUp()
  const refreshToken = vi.fn<() => Promise<string>>(async () => KEY)
  using chat = openChat({
    adapter: parley({ baseUrl: setup.server.url }),
    token: 'stale',
    refreshToken,
    schedule: atOnce,
  })
  const answer = await chat.send('hi')
  expect(shape(answer)).toEqual([['Markdown', '法国的首都是巴黎。']])
  expect(refreshToken).toHaveBeenCalledTimes(1)
})

test('[K20.5] a handshake refused for its token is repeated with a new one', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession('kept')
  let current = 'stale'
  const refreshToken = vi.fn<() => Promise<string>>(async () => (current = KEY))
  const client = fastClient(setup.server.url, () => current)
  const adapter = { ...parley({ client }), createConversation: async () => session_id }
  using chat = openChat({ adapter, token: 'stale', refreshToken, schedule: atOnce })
  expect(shape(await chat.send('hi'))).toEqual([['Markdown', '法国的首都是巴黎。']])
  expect(refreshToken).toHaveBeenCalledTimes(1)
  client.socket().disconnect()
})

test('[K10] a token that ends soon is renewed on the same connection, and the chat shows nothing of it', async () => {
  await using setup = await setUp()
  const { server } = setup
  const isRenewed = Promise.withResolvers<void>()
  server.scripts['slow'] = async (session, { message }) => {
    await session.start()
    await session.user(String(message))
    const turn = await session.assistant()
    await turn.say('one ')
    await isRenewed.promise
    await turn.say('two')
    await turn.end()
    await session.end()
  }
  server.keys.add('fresh')
  server.lastsMs = 400
  const refreshToken = vi.fn<() => Promise<string>>(async () => {
    server.lastsMs = 600_000
    return 'fresh'
  })
  using chat = openChat({ adapter: parley({ baseUrl: server.url }), token: KEY, refreshToken, schedule: atOnce })
  const sent = chat.send('slow')
  await until(chat, ({ messages }) => (messages[1]?.content.length ?? 0) > 0)
  const shown = new Set<unknown>()
  chat.subscribe(() => {
    const { messages, connection } = chat.getSnapshot()
    shown.add(`${messages.length} ${connection} ${messages.some(({ error }) => error)}`)
  })
  await vi.waitFor(() => expect(server.renewals).toEqual(['fresh']), 45_000)
  server.revoke(KEY)
  isRenewed.resolve()
  expect(shape(await sent)).toEqual([['Markdown', 'one two']])
  expect([...shown]).toEqual(['2 connected false'])
  expect([refreshToken.mock.calls.length, server.handshakes.length]).toEqual([1, 1])
})

test('[K5] a store that was made but never shown holds no connection', async () => {
  await using setup = await setUp()
  const { session_id } = await setup.client.sessions.createSession('kept')
  const connect = vi.spyOn(setup.client.sessions, 'connect')
  using chat = openChat({ adapter: parley({ client: setup.client }), conversationID: session_id, schedule: atOnce })
  expect(connect).not.toHaveBeenCalled()
  await chat.initialise()
  expect(connect).toHaveBeenCalledTimes(1)
})

test('[K12.3] [W12.1] what is asked again, or edited, names the message whose place it takes', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const sent = () => setup.server.commands.filter(({ name }) => name === 'chat:send').at(-1)!.payload
  await expect(chat.send('fail')).rejects.toMatchObject({ name: 'ChatKitError' })
  const [asked, failed] = chat.getSnapshot().messages
  await expect(chat.regenerate(failed!.messageID)).rejects.toMatchObject({ name: 'ChatKitError' })
  expect(sent()).toMatchObject({ message: 'fail', whatif: { before_turn_id: asked!.messageID } })
  await chat.edit(asked!.messageID, 'other')
  expect(sent()).toMatchObject({ message: 'other', whatif: { before_turn_id: asked!.messageID } })
  // The server has told of no versions: those of the page are over.
  expect(chat.getSnapshot().branches).toEqual({})
})

test('[K12.3] an answer that could not be asked for again is still there', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.send('one')
  const before = chat.getSnapshot().messages
  const scripted = setup.server.session(chat.getSnapshot().conversationID)
  scripted.run_id = 'chat_of_somebody_else'
  await expect(chat.regenerate(before[1]!.messageID)).rejects.toMatchObject({ code: 'busy' })
  expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'failed' })
  scripted.run_id = null
  await scripted.emit('session:updated', { intent: 'France', updated_at: '2026-01-01T00:00:00Z' })
  await until(chat, ({ messages }) => messages.at(-1)?.status === 'completed')
  expect(chat.getSnapshot()).toMatchObject({ messages: before, branches: {} })
})

test('[K12.3] what another branch asked the page to do is not done again; what happens now is', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  const asking = (action: string) => [
    { type: 'text', content: action, tool_call_id: null, tool_name: null, display_name: null },
    { type: 'tool_bridge', content: { action, payload: 1 }, tool_call_id: action, tool_name: null, display_name: null },
  ]
  const turnTo = (branch_id: string, path: object[]) =>
    scripted.emit('session:updated', { branch: { branch_id, path }, updated_at: '2026-01-01T00:00:00Z' })
  await scripted.user('here')
  await turnTo('branch_1', [{ from: 1, to: null }])
  await scripted.user('then', asking('then'))
  await turnTo('main', [
    { from: 0, to: 0 },
    { from: 2, to: null },
  ])
  const done: string[] = []
  const onBridge = (action: string) => void done.push(action)
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce, onBridge })
  await chat.loadConversation(scripted.id)
  const isShown = (text: string) =>
    until(chat, ({ messages }) => messages.some(({ content }) => content[0]?.content === text))
  await scripted.user('followed')
  await isShown('followed')
  await turnTo('branch_1', [
    { from: 1, to: 1 },
    { from: 3, to: null },
  ])
  await isShown('then')
  await scripted.user('now', asking('now'))
  await isShown('now')
  await vi.waitFor(() => expect(done).toEqual(['now']))
})

test('[K20.5] files travel inside their message: pictures as pictures, the rest by name', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await chat.addAttachment(new File(['\x89PNG'], 'dot.png', { type: 'image/png' }))
  await chat.addAttachment(new File(['a,b'], 'list.csv', { type: 'text/csv' }))
  chat.setTextInput('look')
  await chat.send('look', { fromInput: true })
  const sent = setup.server.commands.find(({ name }) => name === 'chat:send')
  expect(sent?.payload).toMatchObject({
    message: [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) }, name: 'dot.png' },
      { type: 'file', name: 'list.csv', data: btoa('a,b') },
    ],
  })
  expect(chat.getSnapshot()).toMatchObject({ textInput: '', attachments: [] })
})

test('[K20.5] files that no message can carry are refused before anything is sent', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const half = new File([new Uint8Array(8 * 1024 * 1024)], 'half.bin')
  await expect(chat.addAttachment(new File([half, half], 'all.bin'))).rejects.toMatchObject({ code: 'too_long' })
  await chat.addAttachment(half)
  await chat.addAttachment(half)
  await expect(chat.send('both', { fromInput: true })).rejects.toMatchObject({ code: 'too_long' })
  expect(setup.server.commands.filter(({ name }) => name === 'chat:send')).toEqual([])
})

test('[W10.14] the mode goes along, follows the session, and a choice made meanwhile stays', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  chat.setMode('planning')
  await chat.send('one')
  const sent = setup.server.commands.filter(({ name }) => name === 'chat:send')
  expect(sent.at(-1)?.payload).toMatchObject({ mode: 'planning' })
  chat.setMode('executing')
  await chat.send('two')
  expect(chat.getSnapshot().mode).toBe('executing')
})

test('[K5.8] the class of this adapter folds the protocol’s events without being mounted', async () => {
  const { parleyCore } = await import('../src/adapters/parley/parley-core.ts')
  const core = parleyCore()
  const turn = {
    session_id: 's',
    turn_id: 't1',
    id: 't1',
    role: 'assistant',
    loop_id: 'root',
    sequence: 1,
    status: 'streaming',
  }
  const rest = { blocks: [{ type: 'text', content: 'Hello' }], tool_calls: [] }
  const [state, ops] = core.step(core.initial, {
    event: 'turn:start',
    data: JSON.stringify({ ...turn, ...rest }),
    id: '',
  })
  expect(ops).toMatchObject([{ op: 'block', block: { type: 'Markdown', key: 't1/text:0', content: 'Hello' } }])
  expect(
    core.step(core.initial, { event: 'turn:start', data: JSON.stringify({ ...turn, ...rest }), id: '' })[1],
  ).toEqual(ops)
  const ended = core.step(state, {
    event: 'chat:end',
    data: JSON.stringify({ session_id: 's', status: 'completed' }),
    id: '',
  })
  expect(ended[1]).toEqual([{ op: 'end', status: 'completed' }])
})

test('[K18] why an answer failed is still told after a reload', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  await expect(chat.send('fail')).rejects.toMatchObject({ name: 'ChatKitError' })
  const { conversationID, messages } = chat.getSnapshot()
  const { platformCode } = messages.at(-1)!.error!
  expect(platformCode).toBeTruthy()
  using again = openChat({ adapter: parley({ client: setup.client }), conversationID, schedule: atOnce })
  await again.initialise()
  expect(again.getSnapshot().messages.at(-1)).toMatchObject({ status: 'failed', error: { platformCode } })
})

test('[K18] a run whose tool is silent for long is alive while the connection is', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  try {
    await using setup = await setUp()
    using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce, idleTimeoutMs: 60_000 })
    const sent = chat.send('stop')
    while ((chat.getSnapshot().messages[1]?.content.length ?? 0) === 0) await vi.advanceTimersByTimeAsync(5)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'streaming' })
    void chat.stop()
    while (chat.getSnapshot().run) await vi.advanceTimersByTimeAsync(5)
    await sent
  } finally {
    vi.useRealTimers()
  }
})

const feedbackPath = (id: string, turn: string) => `PUT /api/sessions/${id}/messages/${turn}/feedback`

type Said = { value: 'like' | 'dislike' | null; comment?: string }

/** A server that takes feedback on an answer and tells it, as ours does; hands out what it was given. */
function takingFeedback({ server }: Awaited<ReturnType<typeof setUp>>, id: string, turn_id: string) {
  const given: Said[] = []
  server.routes[feedbackPath(id, turn_id)] = async ({ body }) => {
    const { value, comment = null } = body as Said
    given.push(body as Said)
    const by = { user_id: 'user_1', updated_at: '2026-01-01T00:00:00Z' }
    await server.session(id).emit('feedback:given', { turn_id, value, comment, ...by })
    return { status: 200, body: {} }
  }
  return given
}

const contextOf = (chat: ChatStore, id: string) =>
  chat.getSnapshot().messages.find(({ messageID }) => messageID === id)?.messageContext

test('[K12.2] a thumb and a comment go to the server, stay when the session goes on, and are taken back', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const { messageID } = (await chat.send('one'))!
  const given = takingFeedback(setup, chat.getSnapshot().conversationID, messageID)
  await chat.sendFeedback(messageID, 'like', 'clear')
  expect(contextOf(chat, messageID)).toMatchObject({ feedback: 'like', feedbackComment: 'clear' })
  await chat.send('two')
  expect(contextOf(chat, messageID)).toMatchObject({ feedback: 'like', feedbackComment: 'clear' })
  await chat.sendFeedback(messageID, null)
  expect(contextOf(chat, messageID)?.feedback).toBeUndefined()
  expect(contextOf(chat, messageID)?.feedbackComment).toBeUndefined()
  expect(given).toEqual([{ value: 'like', comment: 'clear' }, { value: null }])
})

test('[K12.2] a thumb that the server refuses is not shown', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const answer = await chat.send('one')
  const { conversationID } = chat.getSnapshot()
  const refused = { status: 404, body: { detail: 'There is no such turn.', code: 'not_found' } }
  setup.server.routes[feedbackPath(conversationID, answer!.messageID)] = () => refused
  await expect(chat.sendFeedback(answer!.messageID, 'like')).rejects.toMatchObject({ code: 'not_found' })
  expect(chat.getSnapshot().messages.at(-1)?.messageContext?.feedback).toBeUndefined()
})

test('[K12.2] thumbs and comments are shown in every tab, at once and after a reload', async () => {
  await using setup = await setUp()
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  const { messageID } = (await chat.send('one'))!
  const { conversationID } = chat.getSnapshot()
  takingFeedback(setup, conversationID, messageID)
  using other = openChat({
    adapter: parley({ client: fastClient(setup.server.url) }),
    conversationID,
    schedule: atOnce,
  })
  await other.initialise()
  const shows = (tab: ChatStore, value: string | undefined, comment?: string) =>
    until(tab, ({ messages }) => {
      const { feedback, feedbackComment } = messages.at(-1)?.messageContext ?? {}
      return feedback === value && feedbackComment === comment
    })
  await chat.sendFeedback(messageID, 'dislike', 'wrong year')
  await shows(other, 'dislike', 'wrong year')
  using later = openChat({
    adapter: parley({ client: fastClient(setup.server.url) }),
    conversationID,
    schedule: atOnce,
  })
  await later.initialise()
  await shows(later, 'dislike', 'wrong year')
  await other.sendFeedback(messageID, null)
  for (const tab of [chat, other, later]) await shows(tab, undefined)
})

/** A server that has suggestions; hands out how often it was asked for them. */
function suggesting(server: ScriptedServer, conversationID: string, found: Suggestions) {
  const asked = { times: 0 }
  server.routes['GET /api/config'] = () => ({ status: 200, body: { suggestionsEnabled: true } })
  server.routes[`GET /api/sessions/${conversationID}/suggestions`] = () => {
    asked.times += 1
    return { status: 200, body: found }
  }
  return asked
}

/** A session with one answer, which nobody follows. */
async function oneAnswer({ client }: Awaited<ReturnType<typeof setUp>>) {
  using chat = openChat({ adapter: parley({ client, suggestedQuestions: false }), schedule: atOnce })
  const answer = await chat.send('one')
  return { conversationID: chat.getSnapshot().conversationID, turn_id: answer!.messageID }
}

test('[K12.2] questions to go on with are asked for once after an answer, and belong to it alone', async () => {
  await using setup = await setUp()
  const { conversationID, turn_id } = await oneAnswer(setup)
  const asked = suggesting(setup.server, conversationID, { turn_id, suggestions: ['And two?', 'Why?'] })
  using chat = openChat({ adapter: parley({ client: setup.client }), conversationID, schedule: atOnce })
  await chat.initialise()
  await until(chat, ({ messages }) => messages.at(-1)?.messageContext?.relatedQuestions !== undefined)
  expect(chat.getSnapshot().messages.at(-1)?.messageContext?.relatedQuestions).toEqual(['And two?', 'Why?'])
  // What else changes is told again, and asks for nothing.
  takingFeedback(setup, conversationID, turn_id)
  await chat.sendFeedback(turn_id, 'like')
  expect(asked.times).toBe(1)
  const second = await chat.send('two')
  expect(second?.messageContext?.relatedQuestions).toBeUndefined()
  await vi.waitFor(() => expect(asked.times).toBe(2))
})

test.each([
  ['the server says that it has none', { suggestionsEnabled: false }, {}],
  ['the server does not know them', {}, {}],
  ['the page does not want them', { suggestionsEnabled: true }, { suggestedQuestions: false }],
])('[K12.2] nothing is asked for when %s', async (_when, config, option) => {
  await using setup = await setUp()
  const { server } = setup
  const { conversationID, turn_id } = await oneAnswer(setup)
  const asked = suggesting(server, conversationID, { turn_id, suggestions: ['And?'] })
  let isTold = false
  server.routes['GET /api/config'] = () => {
    isTold = true
    return { status: 200, body: config }
  }
  using again = openChat({ adapter: parley({ client: setup.client, ...option }), conversationID, schedule: atOnce })
  await again.initialise()
  if (!('suggestedQuestions' in option)) await vi.waitFor(() => expect(isTold).toBe(true))
  await again.send('two')
  expect(asked.times).toBe(0)
})

test('[W10.14] a plan is one block where it was proposed, as it stands now; refusing it goes with a message', async () => {
  await using setup = await setUp()
  const step = (status: string) => ({ id: 'step_a_1', title: 'Measure', status })
  const told = [
    [{ plan_id: 'plan_a', status: 'proposed', plan: 'First', steps: [step('pending')] }],
    [
      { plan_id: 'plan_a', status: 'rejected', superseded_by: 'plan_b' },
      { plan_id: 'plan_b', status: 'proposed', plan: 'Second', steps: [step('pending')] },
    ],
    [{ plan_id: 'plan_b', status: 'in_progress', steps: [step('completed')] }],
  ]
  for (const [index, plans] of told.entries())
    setup.server.scripts[`say ${index}`] = async (session, { message }) => {
      await session.start()
      await session.user(String(message))
      const turn = await session.assistant()
      for (const content of plans) await session.patch(turn.turn_id, 'add_content', { type: 'plan_status', content })
      await turn.say('There.')
      await turn.end()
      await session.end()
    }
  using chat = openChat({ adapter: parley({ client: setup.client }), schedule: atOnce })
  for (const index of told.keys()) await chat.send(`say ${index}`)
  expect(
    chat
      .getSnapshot()
      .messages.flatMap(({ content }) => content.filter(({ type }) => type === 'Plan').map((block) => block.content)),
  ).toMatchObject([
    { planID: 'plan_a', status: 'rejected', isSuperseded: true, plan: 'First', steps: [{ status: 'pending' }] },
    { planID: 'plan_b', status: 'in_progress', plan: 'Second', steps: [{ status: 'completed' }] },
  ])
  await chat.send('no', { planDecision: 'reject' })
  expect(setup.server.commands.findLast(({ name }) => name === 'chat:send')?.payload).toMatchObject({
    message: 'no',
    plan_decision: 'reject',
  })
})
