import { expect, test } from 'vitest'
import { startTcpProxy } from '../../../testkit/src/index.ts'
import { OWNER_KEY, sharedWorld } from '../../../server/test/wire/world.ts'
import { agentSse } from '../../src/adapters/agent-sse/agent-sse.ts'
import { atOnce, openChat, shape, until } from '../chat.ts'

// Both ends of the agent SSE wire: the kit's adapter and the server's face, with nothing between them but a line to cut.

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Write', arguments: {}, decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})
const open = (baseUrl = world().url) =>
  openChat({ adapter: agentSse({ baseUrl, retryMs: 5 }), token: OWNER_KEY, schedule: atOnce })
const write = { name: 'Write', arguments: { file_path: 'a.txt', content: 'x' } }

/** The native id of the session that the adapter's conversation is. */
async function nativeSession(question: string): Promise<string> {
  const all = await world().sessions()
  const texts = await Promise.all(all.map(async ({ id }) => [id, JSON.stringify(await world().messages(id))] as const))
  return texts.find(([, text]) => text.includes(question))![0]
}

test('[K20.5] [ST1] an answer is the text that is stored, and the next message goes on in the same session', async () => {
  world().learn({ 'sse-kit: hello': [{ text: '你好，**world**' }], 'sse-kit: and': [{ text: 'more' }] })
  using chat = open()
  const answer = await chat.send('sse-kit: hello')
  expect(answer).toMatchObject({ status: 'completed', content: [{ type: 'Markdown', content: '你好，**world**' }] })
  const { conversationID } = chat.getSnapshot()
  await chat.send('sse-kit: and')
  expect(chat.getSnapshot().conversationID).toBe(conversationID)
  const stored = await world().messages(await nativeSession('sse-kit: hello'))
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('[K20.5] [ST2] [ST7] calls join their results, a failed one says so, every iteration is a text of its own', async () => {
  world().learn({
    'sse-kit: tools': [
      {
        text: 'Look: ',
        calls: [
          { name: 'Bash', arguments: { command: 'echo one' } },
          { name: 'Read', arguments: { file_path: 'no.txt' } },
        ],
      },
      { text: 'Two.' },
    ],
  })
  using chat = open()
  const [before, one, other, after] = shape(await chat.send('sse-kit: tools'))
  expect([before, after]).toEqual([
    ['Markdown', 'Look: '],
    ['Markdown', 'Two.'],
  ])
  // Calls of one answer begin side by side.
  expect([one, other]).toEqual(
    expect.arrayContaining([
      ['Tool', expect.objectContaining({ name: 'Bash', input: { command: 'echo one' }, status: 'done' })],
      ['Tool', expect.objectContaining({ name: 'Read', status: 'error', error: expect.stringContaining('no.txt') })],
    ]),
  )
})

test('[K20.5] [ST3] [S8.4] a confirmation is a card; its consent runs what was asked, once', async () => {
  world().learn({ 'sse-kit: write': [{ calls: [write] }, { text: 'Written.' }] })
  using chat = open()
  const asked = await chat.send('sse-kit: write')
  const [type, card] = shape(asked).at(-1) as [string, { confirmationId: string; state: string }]
  expect([type, card.state]).toEqual(['Confirmation', 'waiting'])
  await chat.answerConfirmation({ confirmationId: card.confirmationId, approved: true })
  const { messages } = await until(chat, (state) => JSON.stringify(state.messages.map(shape)).includes('Written.'))
  const calls = messages.flatMap(shape).filter((block) => (block as [string])[0] === 'Tool')
  expect(calls).toMatchObject([['Tool', { name: 'Write', status: 'done' }]])
})

test('[K20.5] [ST6] a failure in the middle keeps what was said', async () => {
  world().learn({ 'sse-kit: broken': [{ text: 'part', hangUp: true }] })
  using chat = open()
  await expect(chat.send('sse-kit: broken')).rejects.toMatchObject({ platformCode: 'NETWORK_ERROR' })
  expect(shape(chat.getSnapshot().messages.at(-1))).toEqual([['Markdown', 'part']])
})

test('[K20.5] [ST8] stop cancels the run on the server', async () => {
  world().learn({ 'sse-kit: stop': [{ text: 'some words', hang: 'after' }] })
  using chat = open()
  const sent = chat.send('sse-kit: stop')
  await until(chat, ({ messages }) => messages.at(-1)?.content.length === 1)
  await chat.stop()
  expect((await sent)?.status).toBe('stopped')
  expect(await world().requests('sse-kit: stop')[0]!.closed).toBe('aborted')
})

test('[K20.5] [S10] [S18.9] a line that is cut again and again loses and repeats nothing', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index} `).join('')
  world().learn({ 'sse-kit: cut': [{ text: words, chunkDelayMs: 15 }] })
  await using line = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(world().url).port) })
  using chat = open(`http://127.0.0.1:${line.port}`)
  const sent = chat.send('sse-kit: cut')
  for (const mark of ['word3 ', 'word9 ', 'word17 ', 'word30 ']) {
    await until(chat, ({ messages }) => JSON.stringify(messages).includes(mark))
    line.cut()
  }
  expect(shape(await sent)).toEqual([['Markdown', words]])
  expect(world().requests('sse-kit: cut')).toHaveLength(1)
})
