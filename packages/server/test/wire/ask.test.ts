import type { PatchEnvelope } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { askCall, sharedWorld, STORES, WHICH, World } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.5] [WR-24] [WR-25] a question pauses the run', async () => {
    world().learn({ deploy: [{ text: 'One thing.', calls: [askCall()] }] })
    await using chat = await world().chat()
    const run = await chat.run('deploy')
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'turn:start T1 assistant streaming',
      'T1 text: One thing.',
      'T1 add_tool_call c1 AskUserQuestion awaiting_answer',
      'turn:end T1 paused',
      'chat:end completed/waiting_for_input',
    ])
    expect(run.events.at(-1)).toMatchObject({ name: 'session:updated', payload: { status: 'waiting_for_input' } })
    const turn = endOf(run, -1)
    const [call] = turn.tool_calls
    expect(JSON.parse(call!.arguments)).toEqual({ ...WHICH, source_loop: null })
    const pending = {
      tool_call_id: call!.id,
      turn_id: turn.turn_id,
      loop_id: 'root',
      arguments: { ...WHICH, source_loop: null },
    }
    expect(run.end).toMatchObject({
      status: 'completed',
      finish_reason: 'completed',
      result: null,
      session_status: 'waiting_for_input',
      pause_tool: 'AskUserQuestion',
      pause_tool_data: pending,
    })
    expect(await chat.session()).toMatchObject({ status: 'waiting_for_input', pending_question: pending })
  })

  test('[W10.5] [WR-12] [WR-13] [WR-28] [WR-29] the answer resumes it: user turn, result, status, next turn', async () => {
    world().learn({ answered: [{ calls: [askCall()] }, { text: 'On staging.' }] })
    await using chat = await world().chat()
    await chat.run('answered')
    const run = await chat.answer({ '0': [0] }, { askuser_answer: await chat.answerWith(), mode: null })
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T2 user completed',
      'turn:end T2 completed',
      'T1 tool_result c1 done',
      'T1 set_status completed',
      'turn:start T3 assistant streaming',
      'T3 text: On staging.',
      'turn:end T3 completed',
      'chat:end completed/completed',
    ])
    const answers = [{ question: 'Which environment?', header: 'Deploy', selected: ['staging'], custom: null }]
    const turns = await chat.messages()
    expect(turns[1]).toMatchObject({
      status: 'completed',
      tool_calls: [{ status: 'done', result: { answers }, pending_question_ref: null }],
    })
    expect(turns[1]!.blocks.at(-1)).toMatchObject({ type: 'tool_result', content: { answers } })
    expect(turns[2]!.blocks).toMatchObject([
      { type: 'ask_user_answer', content: { selections: { '0': [0] }, custom: {}, answers, message: null } },
    ])
    expect(JSON.parse(world().requests('answered')[1]!.results[0]!)).toEqual({ answers })
    expect(await chat.session()).toMatchObject({ status: 'completed', pending_question: null })
  })

  test('[WR-29] text beside an answer is shown, but the model gets the tool result alone', async () => {
    world().learn({ 'with words': [{ calls: [askCall()] }, { text: 'Fine.' }] })
    await using chat = await world().chat()
    await chat.run('with words')
    await chat.run('I chose staging', { askuser_answer: await chat.answerWith() })
    const answer = (await chat.messages())[2]!
    expect(answer.blocks).toMatchObject([{ type: 'ask_user_answer', content: { message: 'I chose staging' } }])
    expect(world().provider.requests.some(({ question }) => question === 'I chose staging')).toBe(false)
    expect(world().requests('with words')).toHaveLength(2)
  })

  test('[WR-31] a selection and a text for one question go together', async () => {
    world().learn({ remark: [{ calls: [askCall()] }, { text: 'Noted.' }] })
    await using chat = await world().chat()
    await chat.run('remark')
    await chat.run('', { askuser_answer: await chat.answerWith({ '0': [1] }, { '0': 'but carefully' }) })
    expect((await chat.messages())[1]!.tool_calls[0]!.result).toMatchObject({
      answers: [{ selected: ['production'], custom: 'but carefully' }],
    })
  })

  test.each([
    ['missing', {}, {}],
    ['missing', { '0': [] }, { '0': '  ' }],
    ['unknown_question', { '0': [0], '7': [0] }, {}],
    ['option_out_of_range', { '0': [7] }, {}],
    ['option_out_of_range', { '0': [-1] }, {}],
    ['too_many_selected', { '0': [0, 1] }, {}],
    ['duplicate_option', { '0': [0, 0] }, {}],
  ])('[W10.5] [WR-30] %s: %j %j is refused, and the question keeps waiting', async (reason, selections, custom) => {
    const question = reason === 'unknown_question' ? 7 : 0
    const message = `refuse ${reason} ${JSON.stringify([selections, custom])}`
    world().learn({ [message]: [{ calls: [askCall()] }] })
    await using chat = await world().chat()
    await using other = await world().chat({ session_id: chat.session_id })
    const { trace } = await chat.run(message)
    const before = { session: await chat.session(), turns: await chat.messages() }
    const askuser_answer = await chat.answerWith(selections, custom)
    expect(await chat.send('', { askuser_answer })).toMatchObject({ status: 'error', code: 'invalid_answer' })
    const error = await chat.until('system:error')
    expect(error.payload).toMatchObject({
      session_id: chat.session_id,
      code: 'invalid_answer',
      detail: { tool_call_id: askuser_answer.tool_call_id, errors: [{ question, reason }] },
    })
    expect({ session: await chat.session(), turns: await chat.messages() }).toEqual(before)
    expect(other.trace()).toEqual(trace)
    expect(other.received.map(({ name }) => name)).not.toContain('system:error')
  })

  test('[W10.5] an answer to a call that is unknown, answered or withdrawn is ask_not_pending', async () => {
    world().learn({ late: [{ calls: [askCall()] }, { text: 'Done.' }], 'late too': [{ calls: [askCall()] }] })
    await using chat = await world().chat()
    await chat.run('late')
    const askuser_answer = await chat.answerWith()
    expect(await chat.send('', { askuser_answer: { ...askuser_answer, tool_call_id: 'tc_none' } })).toMatchObject({
      code: 'ask_not_pending',
    })
    await chat.run('', { askuser_answer })
    expect(await chat.send('', { askuser_answer })).toMatchObject({ code: 'ask_not_pending' })
    await chat.run('late too')
    const withdrawn = await chat.answerWith()
    await chat.stop()
    await chat.told('session:updated interrupted')
    expect(await chat.send('', { askuser_answer: withdrawn })).toMatchObject({ code: 'ask_not_pending' })
  })

  test('[W10.5] [W17.5] of concurrent answers exactly one wins', async () => {
    world().learn({ contested: [{ calls: [askCall()] }, { text: 'Won.' }] })
    await using chat = await world().chat()
    await using other = await world().chat({ session_id: chat.session_id })
    await chat.run('contested')
    const answer = await chat.answerWith()
    const answers = await Promise.all(
      [chat, other, chat, other].map((one, index) =>
        one.send('', { askuser_answer: { ...answer, selections: { '0': [index % 2] } } }),
      ),
    )
    const won = answers.filter(({ status }) => status === 'ok')
    expect(won).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'ask_not_pending')).toHaveLength(3)
    await chat.ended(won[0]!)
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('[W10.18] a question can be answered by another client, and both see the run', async () => {
    world().learn({ 'for anybody': [{ calls: [askCall()] }, { text: 'Thanks, somebody.' }] })
    await using chat = await world().chat()
    await using other = await world().chat({ session_id: chat.session_id })
    await chat.run('for anybody')
    const run = await other.answer()
    await chat.ended(run.ack)
    expect(chat.received).toEqual(other.received)
    expect(run.end.status).toBe('completed')
  })

  test('[W10.5] [WR-32] a plain message withdraws the question and runs', async () => {
    world().learn({ ask: [{ calls: [askCall()] }], 'never mind': [{ text: 'Another topic.' }] })
    await using chat = await world().chat()
    await chat.run('ask')
    const run = await chat.run('never mind')
    expect(run.trace).toEqual([
      'chat:start',
      'T1 tool_result c1 cancelled',
      'T1 set_status interrupted',
      'turn:start T2 user completed',
      'turn:end T2 completed',
      'turn:start T3 assistant streaming',
      'T3 text: Another topic.',
      'turn:end T3 completed',
      'chat:end completed/completed',
    ])
    const [asked] = (await chat.messages())[1]!.tool_calls
    expect(asked).toMatchObject({
      status: 'cancelled',
      result: 'The user sent a new message instead of answering.',
    })
    // Whoever wants to go on must have told the model how its call ended.
    expect(
      world()
        .requests('never mind')[0]!
        .messages.map(({ role, calls }) => [role, ...calls]),
    ).toEqual([['user'], ['assistant', 'AskUserQuestion'], ['tool'], ['user']])
  })

  test('[W10.4] several questions in one answer: the run goes on with the last answer', async () => {
    const second = { questions: [{ question: 'When?', options: [] }] }
    world().learn({ twice: [{ calls: [askCall(), askCall(second)] }, { text: 'Both known.' }] })
    await using chat = await world().chat()
    const asked = await chat.run('twice')
    expect(asked.end.pause_tool_data!.arguments).toMatchObject({ questions: [{ question: 'Which environment?' }] })
    const first = await chat.answer()
    expect(first.trace).toEqual([
      'chat:start',
      'turn:start T2 user completed',
      'turn:end T2 completed',
      'T1 tool_result c1 done',
      'chat:end completed/waiting_for_input',
    ])
    expect(first.end.pause_tool_data!.arguments).toMatchObject({ questions: [{ question: 'When?' }] })
    const last = await chat.run('', { askuser_answer: await chat.answerWith({}, { '0': 'tomorrow' }) })
    expect(last.trace).toEqual([
      'chat:start',
      'turn:start T3 user completed',
      'turn:end T3 completed',
      'T1 tool_result c2 done',
      'T1 set_status completed',
      'turn:start T4 assistant streaming',
      'T4 text: Both known.',
      'turn:end T4 completed',
      'chat:end completed/completed',
    ])
    expect(
      world()
        .requests('twice')[1]!
        .results.map((text) => JSON.parse(text) as object),
    ).toMatchObject([{ answers: [{ selected: ['staging'] }] }, { answers: [{ custom: 'tomorrow' }] }])
  })

  test('[W7.11] [WR-35] what the model writes into source_loop is overwritten', async () => {
    world().learn({ liar: [{ calls: [askCall({ ...WHICH, source_loop: { loop_name: 'me', description: 'x' } })] }] })
    await using chat = await world().chat()
    const { end } = await chat.run('liar')
    expect(end.pause_tool_data!.arguments).toMatchObject({ source_loop: null })
  })

  test('[W10.5] the output_schema of the paused run holds for the resumed one; what the answer says of it is ignored', async () => {
    const output_schema = { type: 'object', properties: { where: { type: 'string' } }, required: ['where'] }
    world().learn({
      structured: [{ calls: [askCall()] }, { calls: [{ name: 'submit_result', arguments: { where: 'staging' } }] }],
    })
    await using chat = await world().chat()
    await chat.run('structured', { output_schema })
    const { end } = await chat.answer({ '0': [0] }, { output_schema: { type: 'string' }, headless: true })
    expect(end).toMatchObject({ status: 'completed', result: { output: { where: 'staging' }, schema: output_schema } })
  })
})

describe.each(STORES)('across a restart, on %s', (store) => {
  test('[W10.5] [W9] [WR-49] [W17.5] waiting_for_input survives; the answer given afterwards resumes the run', async () => {
    await using world = await World.open(store)
    world.learn({ patient: [{ text: 'Hm.', calls: [askCall()] }, { text: 'On staging, after all.' }] })
    const first = await world.chat()
    await first.run('patient')
    const before = { session: await first.session(), turns: await first.messages() }
    await first[Symbol.asyncDispose]()
    await world.stop()
    await world.start()

    await using chat = await world.chat({ session_id: first.session_id })
    expect({ session: await chat.session(), turns: await chat.messages() }).toEqual(before)
    const run = await chat.answer()
    expect(run.events.filter(({ name }) => name === 'turn:patch').slice(0, 2)).toMatchObject([
      { payload: { patch_type: 'tool_result', turn_id: before.turns[1]!.turn_id, sequence: 3 } },
      { payload: { patch_type: 'set_status', data: { status: 'completed' } } },
    ] satisfies { payload: Partial<PatchEnvelope> }[])
    expect(run.end).toMatchObject({ status: 'completed', session_status: 'completed' })
    expect(world.requests('patient')[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(world.errors).toEqual([])
  })
})
