import { textOf, type PatchEnvelope } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { askCall, sharedWorld, STORES } from './world.ts'

const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.2] [WR-1] [WR-10] [WR-11] [WR-14] one tool call: announced once, settled, and the next model call is the next turn', async () => {
    world().learn({ list: [{ text: 'Let me look.', calls: [bash('ls -la')] }, { text: 'There are files.' }] })
    await using chat = await world().chat()
    const run = await chat.run('list')
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'turn:start T1 assistant streaming',
      'T1 text: Let me look.',
      'T1 add_tool_call c1 Bash pending',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'T2 text: There are files.',
      'turn:end T2 completed',
      'chat:end completed/completed',
    ])
    const turn = endOf(run, 1)
    expect(turn.blocks).toMatchObject([
      { type: 'text', content: 'Let me look.', tool_call_id: null },
      { type: 'tool_use', content: { command: 'ls -la' }, tool_call_id: turn.tool_calls[0]!.id, tool_name: 'Bash' },
      { type: 'tool_result', content: 'total 48\nran ls -la', tool_call_id: turn.tool_calls[0]!.id },
    ])
    expect(turn.tool_calls).toMatchObject([
      { tool_name: 'Bash', display_name: 'Run a command', status: 'done', result: 'total 48\nran ls -la' },
    ])
    expect(JSON.parse(turn.tool_calls[0]!.arguments)).toEqual({ command: 'ls -la' })
    expect(turn.tool_calls[0]!.duration_ms).toBeGreaterThanOrEqual(0)
    expect(world().requests('list')[1]!.results).toEqual(['total 48\nran ls -la'])
  })

  test('[W10.3] several rounds of tools are as many turns', async () => {
    world().learn({ rounds: [{ calls: [bash('a')] }, { calls: [bash('b')] }, { text: 'Both ran.' }] })
    await using chat = await world().chat()
    const run = await chat.run('rounds')
    expect(run.trace.slice(3)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 add_tool_call c1 Bash pending',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'T2 add_tool_call c2 Bash pending',
      'T2 tool_result c2 done',
      'turn:end T2 completed',
      'turn:start T3 assistant streaming',
      'T3 text: Both ran.',
      'turn:end T3 completed',
      'chat:end completed/completed',
    ])
    expect(run.end.usage!.input_tokens).toBe(
      [1, 2, 3].reduce((sum, number) => sum + endOf(run, number).usage!.input_tokens, 0),
    )
  })

  test('[W10.4] [WR-15] parallel calls: announced in the model’s order, settled as they finish, told to the model in order', async () => {
    const look = (name: string) => ({ name: 'Look', arguments: { name } })
    world().learn({ parallel: [{ calls: [look('p-a'), look('p-b'), look('p-c')] }, { text: 'All seen.' }] })
    await using chat = await world().chat()
    const ack = await chat.send('parallel')
    const { gates } = world()
    await Promise.all(['p-a', 'p-b', 'p-c'].map((name) => gates.reached(name)))
    gates.open('p-c')
    await chat.told('tool_result c3 done')
    gates.open('p-a')
    await chat.told('tool_result c1 done')
    gates.open('p-b')
    const run = await chat.ended(ack)
    expect(run.trace.slice(3, 11)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 add_tool_call c1 Look pending',
      'T1 add_tool_call c2 Look pending',
      'T1 add_tool_call c3 Look pending',
      'T1 tool_result c3 done',
      'T1 tool_result c1 done',
      'T1 tool_result c2 done',
      'turn:end T1 completed',
    ])
    expect(endOf(run, 1).tool_calls.map(({ result }) => result)).toEqual(['p-a done', 'p-b done', 'p-c done'])
    expect(world().requests('parallel')[1]!.results).toEqual(['p-a done', 'p-b done', 'p-c done'])
    const numbers = run.events.flatMap(({ name, payload }) =>
      name === 'turn:patch' ? [(payload as unknown as PatchEnvelope).sequence] : [],
    )
    expect(numbers.slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('[W10.4] calls that write run one after another, in the order they were made', async () => {
    const work = (name: string) => ({ name: 'Work', arguments: { name } })
    world().learn({ writes: [{ calls: [work('w-a'), work('w-b')] }, { text: 'Written.' }] })
    await using chat = await world().chat()
    const ack = await chat.send('writes')
    const { gates } = world()
    let hasBegun = false
    void gates.reached('w-b').then(() => (hasBegun = true))
    gates.open('w-b')
    await gates.reached('w-a')
    expect(hasBegun).toBe(false)
    gates.open('w-a')
    const run = await chat.ended(ack)
    expect(run.trace.slice(6, 8)).toEqual(['T1 tool_result c1 done', 'T1 tool_result c2 done'])
  })

  test('[W10.4] next to a question the other calls run to their end first, then the turn pauses', async () => {
    world().learn({ mixed: [{ calls: [askCall(), bash('first')] }, { text: 'Deployed.' }] })
    await using chat = await world().chat()
    const run = await chat.run('mixed')
    expect(run.trace.slice(4)).toEqual([
      'T1 add_tool_call c1 AskUserQuestion awaiting_answer',
      'T1 add_tool_call c2 Bash pending',
      'T1 tool_result c2 done',
      'turn:end T1 paused',
      'chat:end completed/waiting_for_input',
    ])
    await chat.answer()
    expect(world().requests('mixed')[1]!.results).toEqual([expect.stringContaining('staging'), 'total 48\nran first'])
  })

  test('[W10.2] [WR-27] a failing tool is an error to the model, and the run goes on', async () => {
    world().learn({ broken: [{ calls: [{ name: 'Break', arguments: { why: 'rust' } }] }, { text: 'It is rusty.' }] })
    await using chat = await world().chat()
    const run = await chat.run('broken')
    expect(run.trace.slice(5)).toEqual([
      'T1 tool_result c1 error',
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'T2 text: It is rusty.',
      'turn:end T2 completed',
      'chat:end completed/completed',
    ])
    expect(endOf(run, 1).tool_calls[0]).toMatchObject({ status: 'error', result: 'it broke: rust' })
    expect(run.events.map(({ name }) => name)).not.toContain('system:error')
  })

  test('[W10.6] a sub-agent with a description alone works by it', async () => {
    const call = { name: 'Agent', arguments: { description: 'Count the files' } }
    world().learn({ 'described only': [{ calls: [call] }, { text: 'Four' }], 'Count the files': [{ text: '4' }] })
    await using chat = await world().chat()
    const run = await chat.run('described only')
    expect(endOf(run, 2).tool_calls[0]).toMatchObject({ status: 'done', result: '4' })
  })

  test('[W7.11] a question whose source_loop is malformed, its options words, is asked, and says who asks', async () => {
    const given = { questions: [{ question: 'Which?', options: ['a', 'b'], header: null }], source_loop: 'main' }
    world().learn({ 'odd source': [{ calls: [askCall(given)] }, { text: 'b it is' }] })
    await using chat = await world().chat()
    const { end } = await chat.run('odd source')
    expect(end.pause_tool_data!.arguments).toMatchObject({
      questions: [{ options: [{ label: 'a' }, { label: 'b' }] }],
      source_loop: null,
    })
    const { tool_call_id } = await chat.answerWith()
    const answered = await chat.run('', { askuser_answer: { tool_call_id, selections: { '0': [1] } } })
    expect(answered.end.session_status).toBe('completed')
  })

  test.each([
    ['a tool that does not exist', { name: 'Teleport', arguments: {} }, /no tool named Teleport/],
    ['arguments that do not fit', { name: 'Bash', arguments: { command: 7 } }, /do not fit/],
    ['arguments that are no JSON', { name: 'Bash', arguments: '{"command": ' }, /not valid JSON/],
    ['a question without a shape', askCall({ questions: [] }), /needs \{ questions/],
    [
      'a question with the same label twice',
      askCall({ questions: [{ question: 'Which?', options: [{ label: 'x' }, { label: 'x' }] }] }),
      /labels that differ/,
    ],
    ['a sub-agent with nothing to do', { name: 'Agent', arguments: { description: '' } }, /one of them not empty/],
  ])('[W10.2] [WR-17] [W7.11] %s is an error result, never a failed run', async (what, call, message) => {
    const question = `odd: ${what}`
    world().learn({ [question]: [{ calls: [call] }, { text: 'I see.' }] })
    await using chat = await world().chat()
    const run = await chat.run(question)
    expect(run.end.status).toBe('completed')
    const [odd] = endOf(run, 1).tool_calls
    expect(odd).toMatchObject({ status: 'error', result: expect.stringMatching(message), tool_name: call.name })
    expect(odd!.display_name).not.toBe('')
    expect(typeof odd!.arguments).toBe('string')
    expect(textOf(endOf(run, -1))).toBe('I see.')
  })

  test('[W7.4] a result beyond 64 KiB is cut on the wire and in REST, and says so; the model has its own limit', async () => {
    const long = 'ü'.repeat(50_000)
    world().learn({ long: [{ calls: [{ name: 'Look', arguments: { name: 'long' } }] }, { text: 'Long.' }] })
    await using chat = await world().chat()
    world().gates.open('long', long)
    const run = await chat.run('long')
    const [call] = endOf(run, 1).tool_calls
    expect(call).toMatchObject({ result_truncated: true, result_bytes: 100_000, result: 'ü'.repeat(32_768) })
    expect((await chat.messages())[1]!.tool_calls[0]).toEqual(call)
  })

  test('[W5.6] a message added to a run reaches the model with its next call, as a turn of its own', async () => {
    world().learn({
      begin: [{ calls: [{ name: 'Work', arguments: { name: 'add' } }] }, { text: 'unused' }],
      'and hurry': [{ text: 'Hurrying.' }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('begin')
    await world().gates.reached('add')
    expect(await chat.client.ask('chat:append', { session_id: chat.session_id, message: 'and hurry' })).toMatchObject({
      status: 'ok',
    })
    await chat.told('turn:end T2 completed')
    world().gates.open('add')
    const run = await chat.ended(ack)
    expect(run.trace.slice(4)).toEqual([
      'T1 add_tool_call c1 Work pending',
      'turn:start T2 user completed',
      'turn:end T2 completed',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'turn:start T3 assistant streaming',
      'T3 text: Hurrying.',
      'turn:end T3 completed',
      'chat:end completed/completed',
    ])
  })
})
