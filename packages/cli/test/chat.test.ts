import { expect, test } from 'vitest'
import { emptyFolder, withServer } from './command-line.ts'

test('chat without a terminal: every line is a message, questions are answered by number', async () => {
  await using parley = await withServer()
  const { code, output } = await parley.parley(['chat'], { input: 'hello\nquestion\n1\n' })
  expect(code).toBe(0)
  expect(output).toBe(
    '法国的首都是巴黎。\n● «AskUserQuestion»\n选择部署环境\n  1. staging\n  2. production\n' +
      '✓ staging 1 ms\n部署到 staging。\n',
  )
})

test('[W10.7] chat shows who asks when it is a sub-agent', async () => {
  await using parley = await withServer()
  const { output } = await parley.parley(['chat'], { input: 'sub-agent\n2\n' })
  expect(output).toContain('● «Agent»  数据清洗子任务\n│ 清洗前要问一下。\n')
  expect(output).toContain('数据清洗子任务 asks:\n')
  const answer = parley.server.commands.findLast(({ name }) => name === 'chat:send')?.payload['askuser_answer']
  expect(answer).toEqual({ tool_call_id: 'tc_ask', selections: { 0: [1] }, custom: {} })
})

test('chat offers to compact, and a refusal is no failed run', async () => {
  await using folder = await emptyFolder()
  const { code, output } = await folder.start(['chat'], { input: '/help\n/compact\n/exit\n' }).ended
  expect(output).toMatch(/^\/stop .*· \/exit quit/m)
  expect(output).toContain('/compact')
  expect([code, output]).toEqual([0, expect.stringContaining('nothing to compact')])
})

test('chat says why a run failed and ends with 1', async () => {
  await using parley = await withServer()
  const { code, output } = await parley.parley(['chat'], { input: 'fail\n' })
  expect([code, output]).toEqual([1, 'half an\nThe run failed: The provider hung up.\n'])
})

test('[W10.8] chat: Ctrl-C stops the run', async () => {
  await using parley = await withServer()
  const chat = parley.start(['chat'], { input: 'stop\n' })
  await chat.shown('…')
  chat.interrupt()
  expect(await chat.ended).toEqual({
    code: 0,
    output: '…\nStopping … Press Ctrl-C again to quit.\nStopped.\n',
    errors: '',
  })
})

test('[W10.8] chat: a second Ctrl-C leaves although the run does not end', async () => {
  await using parley = await withServer()
  parley.server.scripts['deaf'] = async (session) => {
    await session.start()
    await (await session.assistant()).say('…')
  }
  const chat = parley.start(['chat'], { input: 'deaf\n' })
  await chat.shown('…')
  chat.interrupt()
  await chat.shown('Stopping')
  chat.interrupt()
  expect(await chat.ended).toMatchObject({ code: 0 })
})
