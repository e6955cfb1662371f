import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { setUp, until } from './fast-client.ts'

test('[W10.5] a question waits in the state until it is answered', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('question')
  const { questions } = await until(session, ({ status }) => status === 'waiting_for_input')
  expect(questions).toMatchObject([{ tool_call_id: 'tc_ask', loop_id: 'root' }])
  await session.answer({ tool_call_id: 'tc_ask', selections: { 0: [0] }, custom: {} })
  const state = await until(session, ({ status }) => status === 'completed')
  expect(state.questions).toEqual([])
  expect(textOf(state.turns.at(-1)!)).toBe('部署到 staging。')
})

test('[W10.5] an answer that does not fit is refused before it is sent', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('question')
  await until(session, ({ questions }) => questions.length === 1)
  const answer = session.answer({ tool_call_id: 'tc_ask', selections: { 0: [7] }, custom: {} })
  await expect(answer).rejects.toMatchObject({
    code: 'invalid_answer',
    details: { errors: [{ question: 0, reason: 'option_out_of_range' }] },
  })
  expect(setup.server.commands.filter(({ name }) => name === 'chat:send')).toHaveLength(1)
})

test('[W10.7] a sub-agent’s question is found through its own call', async () => {
  await using setup = await setUp()
  using session = await setup.client.sessions.create()
  await session.send('sub-agent')
  const { questions, turns } = await until(session, ({ status }) => status === 'waiting_for_input')
  expect(questions).toMatchObject([{ tool_call_id: 'tc_ask', loop_id: 'agent:1f2e3d4c' }])
  expect(turns[1]?.tool_calls[0]).toMatchObject({
    status: 'awaiting_answer',
    pending_question_ref: { child_tool_call_id: 'tc_ask' },
  })
})
