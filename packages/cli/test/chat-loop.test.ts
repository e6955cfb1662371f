import { PassThrough } from 'node:stream'
import type { PendingQuestion } from '@parley/protocol'
import { expect, test } from 'vitest'
import { fastClient, setUp } from '../../client/test/fast-client.ts'
import { askUser } from '../src/ask-user.ts'
import { ChatLoop } from '../src/chat-loop.ts'
import { createTerminal } from '../src/terminal.ts'

/** A terminal with somebody at it, who types when something appears. */
function fakeTerminal() {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => input,
  }) as unknown as NodeJS.ReadStream
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream
  const script: { when: string; type: string }[] = []
  let shown = ''
  output.on('data', (chunk) => {
    shown += String(chunk)
    const [next] = script
    if (!next || !shown.includes(next.when)) return
    script.shift()
    shown = ''
    setImmediate(() => input.push(next.type))
  })
  const environment = { NO_COLOR: '1' }
  const terminal = createTerminal({ input, output, errors: output, environment, language: 'en' })
  return { terminal, whenShown: (when: string, type: string) => script.push({ when, type }), left: () => script.length }
}

const DOWN = '\u001b[B'
const CTRL_C = '\u0003'

test('[W10.5] chat on a terminal: arrow keys answer a question, Ctrl-C twice leaves', async () => {
  await using setup = await setUp()
  const client = fastClient(setup.server.url)
  using session = await client.sessions.create()
  await session.ready()
  const { terminal, whenShown, left } = fakeTerminal()
  whenShown('› ', 'question\r')
  whenShown('❯ staging', DOWN)
  whenShown('❯ production', '\r')
  whenShown('部署到 staging。', '')
  whenShown('› ', CTRL_C)
  whenShown('Press Ctrl-C again', CTRL_C)
  expect(await new ChatLoop(session, terminal).talk()).toBe(true)
  expect(left()).toBe(0)
  const answer = setup.server.commands.findLast(({ name }) => name === 'chat:send')?.payload['askuser_answer']
  expect(answer).toEqual({ tool_call_id: 'tc_ask', selections: { 0: [1] }, custom: {} })
})

test('[W10.5] a skipped question leaves the prompt, and the next message goes out as it is', async () => {
  await using setup = await setUp()
  const client = fastClient(setup.server.url)
  using session = await client.sessions.create()
  await session.ready()
  const { terminal, whenShown, left } = fakeTerminal()
  whenShown('› ', 'question\r')
  whenShown('❯ staging', '\u001b')
  whenShown('Skipped', '')
  whenShown('› ', 'something else\r')
  whenShown('巴黎', '')
  whenShown('› ', '/exit\r')
  await new ChatLoop(session, terminal).talk()
  expect(left()).toBe(0)
  const sent = setup.server.commands.filter(({ name }) => name === 'chat:send').map(({ payload }) => payload['message'])
  expect(sent).toEqual(['question', 'something else'])
})

test.each([
  ['high', 1],
  ['medium', 0],
] as const)('[D5] Enter alone does not consent to what has a high risk: %s', async (risk, selected) => {
  const { terminal, whenShown } = fakeTerminal()
  const options = ['Confirm', 'Cancel'].map((label) => ({ label, description: 'rm -rf build' }))
  const confirmation = {
    ...{ id: 'c', tool_call_id: 'r', tool_name: 'Bash', arguments: { command: 'rm -rf build' }, risk },
    ...{ preview: 'rm -rf build', digest: 'd', expires_at: '2030-01-01T00:00:00Z' },
  }
  const questions = [{ question: 'Run it?', header: 'Bash', options, multiSelect: false }]
  whenShown('Enter confirm', '\r')
  let printed = ''
  terminal.output.on('data', (chunk) => (printed += String(chunk)))
  const pending = { tool_call_id: 'q', arguments: { questions, confirmation } } as unknown as PendingQuestion
  expect(await askUser(pending, terminal, async () => null)).toEqual({
    answer: { tool_call_id: 'q', selections: { 0: [selected] }, custom: {} },
  })
  expect(printed.split('rm -rf build').length - 1, 'what is asked for stands there once').toBe(1)
})
