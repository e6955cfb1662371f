import { expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld } from '../../../server/test/wire/world.ts'
import { onedragon } from '../../src/adapters/onedragon/onedragon.ts'
import { atOnce, openChat, shape, until } from '../chat.ts'

// Both ends of the OneDragon wire: the kit's adapter and the server's face, with nothing between them.

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Write', arguments: {}, decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})
const open = () => openChat({ adapter: onedragon({ baseUrl: world().url }), token: OWNER_KEY, schedule: atOnce })
const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

test('[K20.5] [O9] an answer is the text that is stored, and the next message goes on in the same session', async () => {
  world().learn({ 'kit: hello': [{ text: '你好，**world**' }], 'kit: and': [{ text: 'more' }] })
  using chat = open()
  const answer = await chat.send('kit: hello')
  expect(answer).toMatchObject({ status: 'completed', content: [{ type: 'Markdown', content: '你好，**world**' }] })
  const { conversationID } = chat.getSnapshot()
  await chat.send('kit: and')
  expect(chat.getSnapshot().conversationID).toBe(conversationID)
  const stored = await world().messages(conversationID)
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(stored[3]!.blocks).toMatchObject([{ content: 'more' }])
})

test('[K20.5] [O8] parallel calls join their results, a failed one says so', async () => {
  world().learn({
    'kit: tools': [
      { text: 'Look: ', calls: [bash('echo one'), { name: 'Read', arguments: { file_path: 'no.txt' } }] },
      { text: 'Two.' },
    ],
  })
  using chat = open()
  expect(shape(await chat.send('kit: tools'))).toMatchObject([
    ['Markdown', 'Look: '],
    ['Tool', { name: 'Bash', input: { command: 'echo one' }, status: 'done', output: expect.stringContaining('one') }],
    ['Tool', { name: 'Read', status: 'error', error: expect.stringContaining('no.txt') }],
    ['Markdown', 'Two.'],
  ])
})

test('[K20.5] [O11.2] a failure in the middle keeps what was said', async () => {
  world().learn({ 'kit: broken': [{ text: 'part', hangUp: true }] })
  using chat = open()
  const failed = { status: 502, userMessage: 'Model request failed(502)' }
  await expect(chat.send('kit: broken')).rejects.toMatchObject(failed)
  const answer = chat.getSnapshot().messages.at(-1)
  expect(answer).toMatchObject({ status: 'failed', error: failed })
  expect(shape(answer)).toEqual([['Markdown', 'part']])
})

test('[K20.5] [O12.2] stopping closes the connection, which interrupts the run', async () => {
  world().learn({ 'kit: stop': [{ text: 'some words', hang: 'after' }], 'kit: again': [{ text: 'back' }] })
  using chat = open()
  const sent = chat.send('kit: stop')
  await until(chat, ({ messages }) => messages.at(-1)?.content.length === 1)
  await chat.stop()
  expect((await sent)?.status).toBe('stopped')
  expect(await world().requests('kit: stop')[0]!.closed).toBe('aborted')
  expect(shape(await chat.send('kit: again'))).toEqual([['Markdown', 'back']])
})

test('[K20.5] what waits for consent is said, and is decided elsewhere', async () => {
  world().learn({
    'kit: write': [
      { calls: [{ name: 'Write', arguments: { file_path: 'a.txt', content: 'x' } }] },
      { text: 'Written.' },
    ],
  })
  using chat = open()
  const answer = await chat.send('kit: write')
  expect(answer?.status).toBe('completed')
  expect(shape(answer)).toMatchObject([
    ['Tool', { name: 'Write' }],
    ['Markdown', expect.any(String)],
  ])
  const waiting = await world().rest<{ items: { session_id: string }[] }>('GET', '/api/confirmations')
  expect(JSON.stringify(waiting.body)).toContain(chat.getSnapshot().conversationID)
})
