import { textOf, type TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { missingOf } from './trace.ts'
import { agentCall, askCall, sharedWorld, STORES } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.6] [WR-36] a sub-agent: its turns lie between the call and its result, and point back to it', async () => {
    world().learn({
      clean: [{ calls: [agentCall('clean the data', 'cleaning')] }, { text: 'All clean.' }],
      'clean the data': [{ calls: [{ name: 'Bash', arguments: { command: 'sweep' } }] }, { text: 'Swept.' }],
    })
    await using chat = await world().chat()
    const run = await chat.run('clean')
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'turn:start T1 assistant streaming',
      'T1 add_tool_call c1 Agent pending',
      'turn:start T2 assistant streaming under c1',
      'T2 add_tool_call c2 Bash pending',
      'T2 tool_result c2 done',
      'turn:end T2 completed',
      'turn:start T3 assistant streaming under c1',
      'T3 text: Swept.',
      'turn:end T3 completed',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'turn:start T4 assistant streaming',
      'T4 text: All clean.',
      'turn:end T4 completed',
      'chat:end completed/completed',
    ])
    const turns = await chat.messages()
    expect(turns.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4])
    const [call] = turns[1]!.tool_calls
    expect(call).toMatchObject({ tool_name: 'Agent', status: 'done', result: 'Swept.' })
    expect(JSON.parse(call!.arguments)).toEqual({ description: 'cleaning', prompt: 'clean the data' })
    expect(turns.map(({ parent_fork_tool_call_id }) => parent_fork_tool_call_id)).toEqual([
      null,
      null,
      call!.id,
      call!.id,
      null,
    ])
    expect(turns[2]!.loop_id).toMatch(/^agent:[0-9a-f]{8}$/)
    expect(turns[3]!.loop_id).toBe(turns[2]!.loop_id)
  })

  test('[W10.6] [W17.6] nested three deep: every turn names its immediate parent; the last may not fork again', async () => {
    world().learn({
      'depth 0': [{ calls: [agentCall('depth 1')] }, { text: 'top' }],
      'depth 1': [{ calls: [agentCall('depth 2')] }, { text: 'one' }],
      'depth 2': [{ calls: [agentCall('depth 3')] }, { text: 'two' }],
      'depth 3': [{ text: 'three' }],
    })
    await using chat = await world().chat()
    await chat.run('depth 0')
    const turns = await chat.messages()
    const parents = parentsOf(turns)
    expect(turns.map((turn) => [textOf(turn) || 'calls', parents.get(turn.turn_id)])).toEqual([
      ['depth 0', 'root'],
      ['calls', 'root'],
      ['calls', 'task depth 1'],
      ['calls', 'task depth 2'],
      ['three', 'task depth 3'],
      ['two', 'task depth 2'],
      ['one', 'task depth 1'],
      ['top', 'root'],
    ])
    expect(new Set(turns.map(({ loop_id }) => loop_id)).size).toBe(4)
    expect(world().requests('depth 2')[0]!.tools).toContain('Agent')
    expect(world().requests('depth 3')[0]!.tools).not.toContain('Agent')
  })

  test('[W10.6] [W17.6] parallel sub-agents interleave in one stream, and each keeps its own turns', async () => {
    const look = (name: string) => ({ calls: [{ name: 'Look', arguments: { name } }] })
    world().learn({
      both: [{ calls: [agentCall('left'), agentCall('right')] }, { text: 'Both back.' }],
      left: [look('f-left'), { text: 'Left done.' }],
      right: [look('f-right'), { text: 'Right done.' }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('both')
    const { gates } = world()
    await Promise.all([gates.reached('f-left'), gates.reached('f-right')])
    gates.open('f-right')
    await chat.told('tool_result c2 done')
    gates.open('f-left')
    const run = await chat.ended(ack)
    const results = run.trace.filter((line) => line.startsWith('T1 tool_result'))
    expect(results).toEqual(['T1 tool_result c2 done', 'T1 tool_result c1 done'])
    const turns = await chat.messages()
    const parents = parentsOf(turns)
    const of = (parent: string) => turns.filter(({ turn_id }) => parents.get(turn_id) === parent)
    for (const [parent, text] of [
      ['task left', 'Left done.'],
      ['task right', 'Right done.'],
    ] as const) {
      expect(of(parent).map(textOf)).toEqual(['', text])
      expect(new Set(of(parent).map(({ loop_id }) => loop_id)).size).toBe(1)
    }
    expect(turns[1]!.tool_calls.map(({ result }) => result)).toEqual(['Left done.', 'Right done.'])
    expect(chat.fold().turns).toEqual(turns)
  })

  test('[W10.6] a sub-agent that fails gives its parent an error, and the run goes on', async () => {
    world().learn({
      risky: [{ calls: [agentCall('fail at once')] }, { text: 'So be it.' }],
      'fail at once': [{ error: { status: 401 } }],
    })
    await using chat = await world().chat()
    const run = await chat.run('risky')
    expect(run.trace.slice(4, 7)).toEqual([
      'T1 add_tool_call c1 Agent pending',
      'T1 tool_result c1 error',
      'turn:end T1 completed',
    ])
    expect(run.end.status).toBe('completed')
    expect(run.events.map(({ name }) => name)).not.toContain('system:error')
  })

  test('[W10.7] [WR-33] [WR-35] a sub-agent’s question bubbles up, and its answer goes all the way down', async () => {
    world().learn({
      delegate: [{ calls: [agentCall('decide', 'deciding')] }, { text: 'Decided.' }],
      decide: [{ calls: [askCall()] }, { text: 'staging it is' }],
    })
    await using chat = await world().chat()
    const asked = await chat.run('delegate')
    expect(asked.trace.slice(3)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 add_tool_call c1 Agent pending',
      'turn:start T2 assistant streaming under c1',
      'T2 add_tool_call c2 AskUserQuestion awaiting_answer',
      'turn:end T2 paused',
      'T1 set_tool_status c1 awaiting_answer',
      'turn:end T1 paused',
      'chat:end completed/waiting_for_input',
    ])
    const [, parent, child] = await chat.messages()
    const { loop_id } = child!
    const question = child!.tool_calls[0]!
    expect(parent!.tool_calls[0]!.pending_question_ref).toEqual({
      child_loop_name: loop_id,
      child_tool_call_id: question.id,
      description: 'deciding',
    })
    expect(JSON.parse(question.arguments)).toMatchObject({
      source_loop: { loop_name: loop_id, description: 'deciding' },
    })
    expect(asked.end.pause_tool_data).toMatchObject({ tool_call_id: question.id, turn_id: child!.turn_id, loop_id })

    const run = await chat.answer()
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T3 user completed',
      'turn:end T3 completed',
      'T1 set_tool_status c1 pending',
      'T2 tool_result c2 done',
      'T2 set_status completed',
      'turn:start T4 assistant streaming under c1',
      'T4 text: staging it is',
      'turn:end T4 completed',
      'T1 tool_result c1 done',
      'T1 set_status completed',
      'turn:start T5 assistant streaming',
      'T5 text: Decided.',
      'turn:end T5 completed',
      'chat:end completed/completed',
    ])
    const turns = await chat.messages()
    expect(turns[4]!.loop_id).toBe(loop_id)
    expect(turns[1]!.tool_calls[0]).toMatchObject({
      status: 'done',
      result: 'staging it is',
      pending_question_ref: null,
    })
    expect(chat.fold().turns).toEqual(turns)
  })

  test('[W10.7] [WR-34] the parent call’s id answers its sub-agent’s question too', async () => {
    world().learn({
      'by parent': [{ calls: [agentCall('choose')] }, { text: 'Chosen.' }],
      choose: [{ calls: [askCall()] }, { text: 'production' }],
    })
    await using chat = await world().chat()
    await chat.run('by parent')
    const tool_call_id = (await chat.messages())[1]!.tool_calls[0]!.id
    const { end } = await chat.run('', { askuser_answer: { tool_call_id, selections: { '0': [1] }, custom: {} } })
    expect(end).toMatchObject({ status: 'completed', session_status: 'completed' })
  })

  test('[W10.7] with nested forks every call on the way up waits for the deepest question', async () => {
    world().learn({
      'nest 0': [{ calls: [agentCall('nest 1')] }, { text: 'top' }],
      'nest 1': [{ calls: [agentCall('nest 2')] }, { text: 'middle' }],
      'nest 2': [{ calls: [askCall()] }, { text: 'bottom' }],
    })
    await using chat = await world().chat()
    const asked = await chat.run('nest 0')
    expect(asked.trace.slice(7)).toEqual([
      'turn:start T3 assistant streaming under c2',
      'T3 add_tool_call c3 AskUserQuestion awaiting_answer',
      'turn:end T3 paused',
      'T2 set_tool_status c2 awaiting_answer',
      'turn:end T2 paused',
      'T1 set_tool_status c1 awaiting_answer',
      'turn:end T1 paused',
      'chat:end completed/waiting_for_input',
    ])
    const turns = await chat.messages()
    const deepest = turns[3]!.tool_calls[0]!.id
    for (const index of [1, 2])
      expect(turns[index]!.tool_calls[0]!.pending_question_ref).toMatchObject({ child_tool_call_id: deepest })
    const run = await chat.answer()
    expect(run.end).toMatchObject({ status: 'completed', session_status: 'completed' })
    expect(
      missingOf(
        [
          'T3 tool_result c3 done',
          'T3 set_status completed',
          'T2 tool_result c2 done',
          'T2 set_status completed',
          'T1 tool_result c1 done',
          'T1 set_status completed',
        ],
        run.trace,
      ),
    ).toEqual([])
  })

  test('[W10.7] while another sub-agent works, the question shows at once and its answer needs no second chat:start', async () => {
    world().learn({
      pair: [{ calls: [agentCall('asker'), agentCall('worker')] }, { text: 'Both through.' }],
      asker: [{ calls: [askCall()] }, { text: 'asked' }],
      worker: [{ calls: [{ name: 'Look', arguments: { name: 'pair-work' } }] }, { text: 'worked' }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('pair')
    await world().gates.reached('pair-work')
    await chat.told('set_tool_status c1 awaiting_answer')
    expect((await chat.session()).status).toBe('running')
    const [, parent] = await chat.messages()
    const { child_tool_call_id } = parent!.tool_calls[0]!.pending_question_ref!
    const askuser_answer = { tool_call_id: child_tool_call_id, selections: { '0': [0] }, custom: {} }
    expect(await chat.send('', { askuser_answer })).toMatchObject({ status: 'ok', run_id: ack.run_id })
    await chat.told('T1 tool_result c1 done')
    world().gates.open('pair-work')
    const run = await chat.ended(ack)
    expect(run.trace.filter((line) => line === 'chat:start')).toHaveLength(1)
    expect(run.end).toMatchObject({ status: 'completed', session_status: 'completed' })
    expect(endOf(run, -1)).toMatchObject({ status: 'completed', parent_fork_tool_call_id: null })
    expect(chat.fold().turns).toEqual(await chat.messages())
  })

  test('[W10.5] [WR-32] a plain message withdraws a sub-agent’s question, innermost first', async () => {
    world().learn({
      entrust: [{ calls: [agentCall('wonder')] }],
      wonder: [{ calls: [askCall()] }],
      'leave it': [{ text: 'Left.' }],
    })
    await using chat = await world().chat()
    await chat.run('entrust')
    const run = await chat.run('leave it')
    expect(run.trace.slice(0, 6)).toEqual([
      'chat:start',
      'T2 tool_result c2 cancelled',
      'T2 set_status interrupted',
      'T1 tool_result c1 cancelled',
      'T1 set_status interrupted',
      'turn:start T3 user completed',
    ])
    expect(
      world()
        .requests('leave it')[0]!
        .messages.map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

/** For every turn, the description of the sub-agent it belongs to, or `root`. */
function parentsOf(turns: readonly TurnProjection[]): Map<string, string> {
  const calls = new Map(turns.flatMap(({ tool_calls }) => tool_calls.map((call) => [call.id, call.arguments] as const)))
  return new Map(
    turns.map(({ turn_id, parent_fork_tool_call_id }) => [
      turn_id,
      parent_fork_tool_call_id === null
        ? 'root'
        : (JSON.parse(calls.get(parent_fork_tool_call_id) ?? '{}') as { description: string }).description,
    ]),
  )
}
