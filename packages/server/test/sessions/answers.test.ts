import { describe, expect, test } from 'vitest'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, dataOf, inShort, lastCall, Rig, structure } from './rig.ts'
import type { ModelRequest } from '../../src/ports.ts'

const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length
const byTask = (tasks: Record<string, readonly Reply[]>) => (request: ModelRequest) =>
  tasks[situation(request).asked]?.[rounds(request)] ?? { text: 'nothing left' }

describe('a question', () => {
  test('[W10.5] pauses the run; the answer resumes it, as the trace says', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Thanks' }] })
    const { session_id, events } = await one.chat('Hello')
    expect(structure(events)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
      'add_tool_call AskUserQuestion awaiting_answer',
      'turn:end assistant paused',
      'chat:end completed waiting_for_input',
      'session:updated',
    ])
    expect(dataOf(events, 'chat:end')).toMatchObject({
      finish_reason: 'completed',
      result: null,
      pause_tool: 'AskUserQuestion',
      pause_tool_data: { tool_call_id: lastCall(events), loop_id: 'root', arguments: { source_loop: null } },
    })
    expect(await one.sessions.detail({ user_id: 'user_1' }, session_id)).toMatchObject({
      status: 'waiting_for_input',
      pending_question: { tool_call_id: lastCall(events) },
    })

    const answered = await one.answer(session_id, choose(lastCall(events)))
    const resumed = await one.events(answered)
    expect(structure(resumed)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'tool_result done',
      'set_status completed',
      'turn:start assistant streaming',
      'turn:end assistant completed',
      'chat:end completed completed',
      'session:updated',
    ])
    expect((await one.sessions.detail({ user_id: 'user_1' }, session_id)).pending_question).toBeNull()
    expect(rig.errors).toEqual([])
  })

  test('[W10.5] the answer reaches the model as the result of the call, and its message does not', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Thanks' }] })
    const { session_id, events } = await one.chat('Hello')
    const answer = { tool_call_id: lastCall(events), selections: { '0': [1] }, custom: { '0': 'but quickly' } }
    await one.events(await one.send(session_id, 'I chose b', { askuser_answer: answer }))
    const answers = [{ question: 'Which?', header: null, selected: ['b'], custom: 'but quickly' }]
    const turns = await one.messages(session_id)
    expect(turns[1]!.tool_calls[0]).toMatchObject({ status: 'done', result: { answers } })
    expect(turns[2]!.blocks).toMatchObject([
      { type: 'ask_user_answer', content: { ...answer, answers, message: 'I chose b' } },
    ])
    const { messages } = JSON.parse(one.model.requests[1]!) as { messages: { role: string; text?: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(JSON.parse(messages[2]!.text!)).toEqual({ answers })
    expect(one.model.requests[1]).not.toContain('I chose b')
  })

  test('[W10.5] an answer to a call that does not wait is ask_not_pending: unknown, answered, withdrawn', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Thanks' }, { calls: [ask()] }, { text: 'Fine' }] })
    const { session_id, events } = await one.chat('Hello')
    const refused = (id: string) =>
      expect(one.answer(session_id, choose(id))).rejects.toMatchObject({ code: 'ask_not_pending' })
    await refused('tc_unknown')
    await one.events(await one.answer(session_id, choose(lastCall(events))))
    await refused(lastCall(events))
    const again = await one.events(await one.send(session_id, 'Ask me again'))
    await one.events(await one.send(session_id, 'Never mind'))
    await refused(lastCall(again))
  })

  test('[W10.5] of two answers at once the first wins, the second is ask_not_pending', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Thanks' }] })
    const { session_id, events } = await one.chat('Hello')
    const both = await Promise.allSettled(
      [0, 1].map((option) => one.answer(session_id, choose(lastCall(events), option))),
    )
    expect(both[0]!.status).toBe('fulfilled')
    expect(both[1]).toMatchObject({ status: 'rejected', reason: { code: 'ask_not_pending' } })
    if (both[0]!.status === 'fulfilled') await one.events(both[0]!.value)
  })

  test('[W10.4] several in one answer: each waits for its own; the run goes on after the last', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask('One?'), ask('Two?')] }, { text: 'Thanks' }] })
    const { session_id, events } = await one.chat('Hello')
    const [, { tool_calls }] = (await one.messages(session_id)) as [unknown, { tool_calls: { id: string }[] }]
    const first = await one.events(await one.answer(session_id, choose(tool_calls[1]!.id)))
    expect(structure(first)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'tool_result done',
      'chat:end completed waiting_for_input',
      'session:updated',
    ])
    expect(dataOf(first, 'chat:end').pause_tool_data).toMatchObject({ tool_call_id: tool_calls[0]!.id })
    expect(dataOf(events, 'chat:end').pause_tool_data).toMatchObject({ tool_call_id: tool_calls[0]!.id })
    const second = await one.events(await one.answer(session_id, choose(tool_calls[0]!.id)))
    expect(dataOf(second, 'chat:end')).toMatchObject({ session_status: 'completed' })
    expect(one.model.requests).toHaveLength(2)
  })

  test('[W10.5] options of the paused run carry over: its schema, and its environment', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({
      model: [{ calls: [ask()] }, { calls: [{ name: 'submit_result', arguments: { n: 1 } }] }],
    })
    const schema = { type: 'object', required: ['n'] }
    const { session_id, events } = await one.chat('Hello', { output_schema: schema, runtime_env: { TOKEN: 'x' } })
    expect(await rig.engine.select('SELECT secrets FROM runs', [])).toEqual([{ secrets: '{"TOKEN":"x"}' }])
    const resumed = await one.events(await one.answer(session_id, choose(lastCall(events)), { headless: true }))
    expect(dataOf(resumed, 'chat:end')).toMatchObject({ result: { output: { n: 1 }, schema } })
    expect(await rig.engine.select('SELECT secrets FROM runs', [])).toEqual([{ secrets: null }, { secrets: null }])
  })

  test('[W10.5] survives a restart: the answer given afterwards resumes the run', async () => {
    await using rig = await Rig.open()
    const { session_id, events } = await rig.instance({ model: [{ calls: [ask()] }] }).chat('Hello')
    const two = rig.instance({ model: [{ text: 'Thanks' }] })
    await two.runs.claimExpired()
    const resumed = await two.events(await two.answer(session_id, choose(lastCall(events))))
    expect(dataOf(resumed, 'chat:end')).toMatchObject({ status: 'completed' })
  })

  test('[WR-32] a plain message withdraws it, and runs', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'All right' }] })
    const { session_id } = await one.chat('Hello')
    const events = await one.events(await one.send(session_id, 'Never mind'))
    expect(structure(events).slice(0, 5)).toEqual([
      'chat:start',
      'tool_result cancelled',
      'set_status interrupted',
      'turn:start user completed',
      'turn:end user completed',
    ])
    expect(one.model.requests[1]).toContain('The user sent a new message instead of answering.')
    expect(dataOf(events, 'chat:end')).toMatchObject({ session_status: 'completed', pause_tool: null })
  })

  test('[W5.3] may be answered as soon as it is shown, while another call of its turn still works', async () => {
    await using rig = await Rig.open()
    const reading = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Read: {
        async run() {
          await reading.promise
          return { result: 'read' }
        },
      },
    })
    const one = rig.instance({ model: [{ calls: [ask(), { name: 'Read' }] }, { text: 'Thanks' }], tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const shown = await one.until(accepted, ({ type }) => type === 'run:tool_claim')
    expect(await one.answer(id, choose(lastCall(shown)))).toMatchObject({ run_id: accepted.run_id })
    await expect(one.answer(id, choose(lastCall(shown)))).rejects.toMatchObject({ code: 'ask_not_pending' })
    reading.resolve()
    const events = await one.events(accepted)
    expect(structure(events).filter((line) => line.includes('paused'))).toEqual([])
    expect(dataOf(events, 'chat:end')).toMatchObject({ session_status: 'completed' })
    expect(rig.errors).toEqual([])
  })
})

describe('a question of a sub-agent', () => {
  const model = byTask({
    Hello: [{ calls: [fork('ask')] }, { text: 'Done' }],
    ask: [{ calls: [ask()] }, { text: 'Asked' }],
  })

  test.each(['AskUserQuestion', 'Agent'])(
    '[WR-34] is answered by the id of the %s call, as the trace says',
    async (by) => {
      await using rig = await Rig.open()
      const one = rig.instance({ model })
      const { session_id, events } = await one.chat('Hello')
      const resumed = await one.events(await one.answer(session_id, choose(lastCall(events, by))))
      expect(structure(resumed)).toEqual([
        'chat:start',
        'turn:start user completed',
        'turn:end user completed',
        'set_tool_status pending',
        'tool_result done',
        'set_status completed',
        'turn:start assistant streaming',
        'turn:end assistant completed',
        'tool_result done',
        'set_status completed',
        'turn:start assistant streaming',
        'turn:end assistant completed',
        'chat:end completed completed',
        'session:updated',
      ])
      expect(rig.errors).toEqual([])
    },
  )

  test('[WR-34] of a nested one, while everything above it is under way, by the id of any call above it', async () => {
    await using rig = await Rig.open()
    const reading = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Read: {
        async run() {
          await reading.promise
          return { result: 'read' }
        },
      },
    })
    const nested = byTask({
      Hello: [{ calls: [fork('deep'), { name: 'Read' }] }, { text: 'Done' }],
      deep: [{ calls: [fork('ask')] }, { text: 'Deep' }],
      ask: [{ calls: [ask()] }, { text: 'Asked' }],
    })
    const one = rig.instance({ model: nested, tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const isTold = ({ data }: { data: Record<string, unknown> }) => data['patch_type'] === 'set_tool_status'
    const shown = await one.until(accepted, (event, before) => isTold(event) && before.some(isTold))
    const top = (await one.messages(id))[1]!.tool_calls[0]!
    expect(top.pending_question_ref?.child_tool_call_id).toBe(lastCall(shown))
    await one.answer(id, choose(top.id))
    await one.until(accepted, ({ data }) => (data['data'] as { result?: string } | undefined)?.result === 'Deep')
    reading.resolve()
    expect(dataOf(await one.events(accepted), 'chat:end')).toMatchObject({ session_status: 'completed' })
    expect(rig.errors).toEqual([])
  })

  test('[W10.7] of a nested one: what goes on is told from the top down', async () => {
    await using rig = await Rig.open()
    const nested = byTask({
      Hello: [{ calls: [fork('deep')] }, { text: 'Done' }],
      deep: [{ calls: [fork('ask')] }, { text: 'Deep' }],
      ask: [{ calls: [ask()] }, { text: 'Asked' }],
    })
    const one = rig.instance({ model: nested })
    const { session_id, events } = await one.chat('Hello')
    const resumed = await one.events(await one.answer(session_id, choose(lastCall(events))))
    const told = resumed.filter(({ data }) => data['patch_type'] === 'set_tool_status')
    const turns = await one.messages(session_id)
    expect(told.map(({ turn_id }) => turn_id)).toEqual([turns[1]!.turn_id, turns[2]!.turn_id])
    expect(dataOf(resumed, 'chat:end')).toMatchObject({ session_status: 'completed' })
  })

  test('[WR-32] a plain message withdraws it and everything above it, innermost first', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model })
    const { session_id } = await one.chat('Hello')
    await one.events(await one.send(session_id, 'Never mind'))
    const turns = await one.messages(session_id)
    expect(turns.slice(1, 3).map(({ status }) => status)).toEqual(['interrupted', 'interrupted'])
    expect(turns.flatMap(({ tool_calls }) => tool_calls.map(({ status }) => status))).toEqual([
      'cancelled',
      'cancelled',
    ])
  })
})

describe('a question of a sub-agent, while another one works', () => {
  test('[W10.7] answered inside the running run: no second chat:start, and the run goes on to its end', async () => {
    await using rig = await Rig.open()
    const reading = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Read: {
        readOnly: true,
        async run() {
          await reading.promise
          return { result: 'read' }
        },
      },
    })
    const model = byTask({
      Hello: [{ calls: [fork('ask'), fork('read')] }, { text: 'Done' }],
      ask: [{ calls: [ask()] }, { text: 'Asked' }],
      read: [{ calls: [{ name: 'Read' }] }, { text: 'Read it' }],
    })
    const one = rig.instance({ model, tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const asked = await one.until(accepted, ({ data }) => data['patch_type'] === 'set_tool_status')
    const answer = choose(lastCall(asked))
    const answered = await one.answer(id, answer, { client_message_id: 'm1' })
    expect(answered.run_id).toBe(accepted.run_id)
    // [DC1] The same answer again gets the same acknowledgement; another body under its id is refused.
    expect(await one.answer(id, answer, { client_message_id: 'm1' })).toEqual(answered)
    await expect(one.send(id, 'x', { client_message_id: 'm1' })).rejects.toMatchObject({ code: 'invalid_payload' })
    await one.until(accepted, ({ data }) => (data['data'] as { result?: string } | undefined)?.result === 'Asked')
    reading.resolve()
    const events = await one.events(accepted)
    expect(inShort(events).filter((line) => line === 'chat:start')).toHaveLength(1)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed', session_status: 'completed' })
    expect(rig.errors).toEqual([])
  })
})
