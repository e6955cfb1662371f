import { describe, expect, test } from 'vitest'
import { ask, mainLoop, playLoop, question, scriptedTools, structureOf, World } from '../../test/loop/scripted.ts'

describe('a question', () => {
  test('[W10.5] waits from the start, and pauses the turn', async () => {
    const played = await playLoop(mainLoop(), new World([{ text: 'Well', calls: [ask()] }]))
    expect(structureOf(played)).toEqual([
      'start turn_1 root',
      'answer turn_1 [tc_1 awaiting_answer]',
      'end turn_1 paused',
    ])
    expect(played.outcome).toEqual({
      status: 'paused',
      refs: [{ child_loop_name: 'root', child_tool_call_id: 'tc_1', description: null }],
    })
  })

  test('[W10.4] the other calls of its answer run to their end first', async () => {
    const tools = scriptedTools({ Read: { readOnly: true }, Write: {} })
    const calls = [ask(), { name: 'Write' }, { name: 'Read' }]
    const played = await playLoop(mainLoop(), new World([{ calls }], { tools }))
    expect(structureOf(played).slice(2).toSorted()).toEqual([
      'claim tc_2 1',
      'claim tc_3 1',
      'end turn_1 paused',
      'result tc_2 done "Write"',
      'result tc_3 done "Read"',
    ])
    expect(structureOf(played).at(-1)).toBe('end turn_1 paused')
  })

  test('[W10.5] answered: the turn is completed, not ended twice, and the model gets the answer', async () => {
    const loop = mainLoop()
    await playLoop(loop, new World([{ calls: [ask()] }]))
    const world = new World([{ text: 'Then a.' }])
    world.answer('tc_1', { answers: [{ selected: ['a'] }] })
    const played = await playLoop(loop, world)
    expect(structureOf(played)[0]).toBe('end turn_1 completed again')
    expect(loop.messages[2]).toMatchObject({
      role: 'tool',
      tool_call_id: 'p1_0',
      text: '{"answers":[{"selected":["a"]}]}',
    })
  })

  test('[W10.4] of several the run waits for the last; a turn that still waits has nothing new to tell', async () => {
    const loop = mainLoop()
    await playLoop(loop, new World([{ calls: [ask('One?'), ask('Two?')] }]))
    const world = new World([{ text: 'Thanks' }])
    world.answer('tc_1')
    const once = await playLoop(loop, world)
    expect(once.events).toEqual([])
    expect(once.outcome).toMatchObject({ status: 'paused', refs: [{ child_tool_call_id: 'tc_2' }] })
    world.answer('tc_2')
    expect((await playLoop(loop, world)).outcome).toMatchObject({ status: 'completed' })
  })

  test('answered while another call of its turn still works: the turn never pauses', async () => {
    const loop = mainLoop()
    const tools = scriptedTools({
      Bash: {
        run: () => {
          world.answer('tc_1')
          return 'ok'
        },
      },
    })
    const world = new World([{ calls: [ask(), { name: 'Bash' }] }, { text: 'Thanks' }], { tools })
    const played = await playLoop(loop, world)
    expect(structureOf(played)).toContain('end turn_1 completed')
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['no questions', { questions: [] }],
    ['no JSON', '{"questions"'],
    ['the same label twice', { questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'a' }] }] }],
  ])('[W7.11] that makes no sense (%s) is an error result that says so', async (_what, given) => {
    const world = new World([{ calls: [{ name: 'AskUserQuestion', arguments: given }] }, { text: 'I see' }])
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)[1]).toBe('answer turn_1 [tc_1 pending]')
    expect(structureOf(played)[2]).toMatch(/^result tc_1 error "AskUserQuestion needs/)
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test('[WR-42] is not offered in a headless run, and an error if it is asked all the same', async () => {
    const world = new World([{ calls: [ask()] }, { text: 'Then I choose' }], { headless: true })
    const played = await playLoop(mainLoop(), world)
    expect(world.model.requests[0]).not.toContain('AskUserQuestion')
    expect(structureOf(played)).toContain('result tc_1 error "There is no tool named AskUserQuestion."')
  })

  test('[W7.11] of the main agent has no `source_loop`, whatever the model wrote', async () => {
    const given = { ...question(), source_loop: { loop_name: 'x', description: 'y' } }
    const played = await playLoop(mainLoop(), new World([{ calls: [{ name: 'AskUserQuestion', arguments: given }] }]))
    const answer = played.events.find((event) => event.type === 'answer')
    expect(JSON.parse(answer!.calls[0]!.arguments)).toMatchObject({ source_loop: null })
  })

  test('[W10.8] a stop while it waits in a resumed turn cancels it', async () => {
    const loop = mainLoop()
    await playLoop(loop, new World([{ calls: [ask()] }]))
    const world = new World([])
    world.active.stop('stop')
    expect(structureOf(await playLoop(loop, world))).toEqual(['status tc_1 cancelled', 'end turn_1 interrupted again'])
  })
})

describe('the same call that fails', () => {
  const failing = scriptedTools({
    Bash: { run: () => Promise.reject(new Error('broken')) },
    Read: { readOnly: true },
  })

  test('[W10.9] five times in a row ends the run with tool_error', async () => {
    const world = new World(() => ({ calls: [{ name: 'Bash', arguments: { command: 'ls' } }] }), { tools: failing })
    const played = await playLoop(mainLoop(), world)
    expect(world.model.requests).toHaveLength(5)
    expect(played.events.at(-1)).toMatchObject({ type: 'turn:end', status: 'failed' })
    expect(played.outcome).toMatchObject({
      status: 'failed',
      finish_reason: 'tool_error',
      error: { code: 'tool_error' },
    })
  })

  test('[W10.9] with other arguments in between does not', async () => {
    let n = 0
    const world = new World(
      () =>
        ++n > 12
          ? { text: 'I give up' }
          : { calls: [{ name: 'Bash', arguments: { command: n % 4 === 0 ? 'pwd' : 'ls' } }] },
      { tools: failing },
    )
    expect((await playLoop(mainLoop(), world)).outcome).toMatchObject({ status: 'completed' })
  })

  test('[W10.9] with a call in between that works does not', async () => {
    let n = 0
    const world = new World(
      () => (++n > 12 ? { text: 'Done' } : { calls: [{ name: n % 4 === 0 ? 'Read' : 'Bash' }] }),
      { tools: failing },
    )
    expect((await playLoop(mainLoop(), world)).outcome).toMatchObject({ status: 'completed' })
  })
})
