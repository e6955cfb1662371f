import { describe, expect, test } from 'vitest'
import {
  aborted,
  ask,
  BY_RISK,
  fork,
  mainLoop,
  playLoop,
  type Reply,
  scriptedTools,
  situation,
  structureOf,
  World,
} from '../../test/loop/scripted.ts'
import type { ModelRequest } from '../ports.ts'

/** Replies by what a loop was asked: the first before any result, the second after one, and so on. */
const byTask = (tasks: Record<string, readonly Reply[]>) => (request: ModelRequest) => {
  const { asked, results } = situation(request)
  return tasks[asked]?.[results.length === 0 ? 0 : rounds(request)] ?? { text: `nothing left for ${asked}` }
}

const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length

describe('a sub-agent', () => {
  test('[W10.6] is the same loop one level deeper; its final text is the result', async () => {
    const loop = mainLoop()
    const world = new World(byTask({ Hello: [{ calls: [fork('dig')] }, { text: 'Done' }], dig: [{ text: 'Gold' }] }))
    const played = await playLoop(loop, world)
    expect(structureOf(played)).toEqual([
      'start turn_1 root',
      'answer turn_1 [tc_1 pending]',
      'start turn_2 agent:1',
      'answer turn_2 []',
      'end turn_2 completed',
      'result tc_1 done "Gold"',
      'end turn_1 completed',
      'start turn_3 root',
      'answer turn_3 []',
      'end turn_3 completed',
    ])
    expect(played.events.find((event) => event.type === 'turn:start' && event.turn_id === 'turn_2')).toMatchObject({
      parent_fork_tool_call_id: 'tc_1',
    })
  })

  test('[W10.6] may fork again, up to a depth of three; the last one is offered no `Agent`', async () => {
    const deeper = { calls: [fork('deeper')] }
    const world = new World((request) =>
      request.tools.some(({ name }) => name === 'Agent') && rounds(request) === 0 ? deeper : { text: 'bottom' },
    )
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played).filter((line) => line.startsWith('start'))).toEqual([
      'start turn_1 root',
      'start turn_2 agent:1',
      'start turn_3 agent:2',
      'start turn_4 agent:3',
      'start turn_5 agent:2',
      'start turn_6 agent:1',
      'start turn_7 root',
    ])
    expect(structureOf(played)).toContain('result tc_3 done "bottom"')
  })

  test('a fork that is too deep is an error result', async () => {
    const world = new World([{ calls: [fork('dig')] }, { text: 'I see' }], { maxDepth: 0 })
    expect(structureOf(await playLoop(mainLoop(), world))).toContain(
      'result tc_1 error "There is no tool named Agent."',
    )
  })

  test('[W10.6] that fails gives its parent an error, and the run goes on', async () => {
    const world = new World(
      byTask({
        Hello: [{ calls: [fork('dig')] }, { text: 'Pity' }],
        dig: [{ failure: { message: 'overloaded' } }],
      }),
    )
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)).toContain('result tc_1 error "overloaded"')
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['nothing to do', {}],
    ['blank words', { description: ' ', prompt: '' }],
    ['tools that nobody can tell', { prompt: 'x', tools: { Read: true } }],
    ['tools that are no names', { prompt: 'x', tools: [['Read']] }],
  ])('with %s is an error, and nothing is begun', async (_, given) => {
    const world = new World([{ calls: [{ name: 'Agent', arguments: given }] }, { text: 'I see' }])
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)[2]).toMatch(/^result tc_1 error "Agent needs/)
    expect(world.model.requests).toHaveLength(2)
  })

  test('has its own limit of model calls', async () => {
    const endless = { calls: [{ name: 'Read' }] }
    const world = new World(
      (request) =>
        situation(request).asked === 'dig'
          ? endless
          : rounds(request) === 0
            ? { calls: [fork('dig')] }
            : { text: 'Done' },
      { maxTurns: 3, tools: scriptedTools({ Read: {} }) },
    )
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)).toContain('notice agent:1 Stopped after 3 model calls.')
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'completed' })
  })

  test('[W10.8] a stop reaches it: innermost first, then its parent', async () => {
    const tools = scriptedTools({
      Bash: {
        async run(_input, { signal }) {
          await aborted(signal)
          throw new Error('aborted')
        },
      },
    })
    const world = new World(byTask({ Hello: [{ calls: [fork('dig')] }], dig: [{ calls: [{ name: 'Bash' }] }] }), {
      tools,
    })
    const played = await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') setImmediate(() => world.active.stop('stop'))
    })
    expect(structureOf(played).slice(-4)).toEqual([
      'status tc_2 cancelled',
      'end turn_2 interrupted',
      'status tc_1 cancelled',
      'end turn_1 interrupted',
    ])
    expect(played.outcome).toEqual({ status: 'interrupted' })
  })

  test('[D3] at a shutdown it is handed back with its parent, and goes on from there', async () => {
    const script = byTask({
      Hello: [{ calls: [fork('dig')] }, { text: 'Done' }],
      dig: [{ calls: [{ name: 'Read' }] }, { text: 'Gold' }],
    })
    const tools = scriptedTools({ Read: {} })
    const loop = mainLoop()
    const first = new World(script, { tools })
    const before = await playLoop(loop, first, (event) => {
      if (event.type === 'tool:claim') first.active.isDraining = true
    })
    expect(before.outcome).toEqual({ status: 'handed_back' })
    expect(structureOf(before).at(-1)).toBe('end turn_2 completed')

    const after = await playLoop(loop, new World(script, { tools }))
    expect(structureOf(after)[0]).toBe('start turn_1 agent:1')
    expect(structureOf(after)).toContain('result tc_1 done "Gold"')
    expect(after.outcome).toMatchObject({ status: 'completed' })
  })
})

describe('a sub-agent that asks', () => {
  const asking = byTask({
    Hello: [{ calls: [fork('dig')] }, { text: 'Done' }],
    dig: [{ calls: [ask()] }, { text: 'Gold' }],
  })

  test('[W10.7] its turn pauses, the call above waits for the same question, and the run pauses', async () => {
    const played = await playLoop(mainLoop(), new World(asking))
    expect(structureOf(played)).toEqual([
      'start turn_1 root',
      'answer turn_1 [tc_1 pending]',
      'start turn_2 agent:1',
      'answer turn_2 [tc_2 awaiting_answer]',
      'end turn_2 paused',
      'status tc_1 awaiting_answer for tc_2',
      'end turn_1 paused',
    ])
    expect(played.outcome).toEqual({
      status: 'paused',
      refs: [{ child_loop_name: 'agent:1', child_tool_call_id: 'tc_2', description: 'About dig' }],
    })
  })

  test('[W7.11] `source_loop` says who asks, whatever the model wrote', async () => {
    const played = await playLoop(mainLoop(), new World(asking))
    const answer = played.events.findLast((event) => event.type === 'answer')
    expect(JSON.parse(answer!.calls[0]!.arguments)).toMatchObject({
      source_loop: { loop_name: 'agent:1', description: 'About dig' },
    })
  })

  test('[W10.7] with nested forks, every call on the way up waits for the deepest question', async () => {
    const world = new World(
      byTask({ Hello: [{ calls: [fork('dig')] }], dig: [{ calls: [fork('deeper')] }], deeper: [{ calls: [ask()] }] }),
    )
    expect(structureOf(await playLoop(mainLoop(), world)).slice(-5)).toEqual([
      'end turn_3 paused',
      'status tc_2 awaiting_answer for tc_3',
      'end turn_2 paused',
      'status tc_1 awaiting_answer for tc_3',
      'end turn_1 paused',
    ])
  })

  test('[W10.7] the answer resumes it, and everything above it', async () => {
    const loop = mainLoop()
    await playLoop(loop, new World(asking))
    const world = new World(asking)
    world.answer('tc_2')
    const played = await playLoop(loop, world)
    expect(structureOf(played)).toEqual([
      'end turn_2 completed again',
      'start turn_1 agent:1',
      'answer turn_1 []',
      'end turn_1 completed',
      'result tc_1 done "Gold"',
      'end turn_1 completed again',
      'start turn_2 root',
      'answer turn_2 []',
      'end turn_2 completed',
    ])
  })

  test('two questions of one sub-agent: the first answer does not wake its turn for good, the second does', async () => {
    const loop = mainLoop()
    const script = byTask({
      Hello: [{ calls: [fork('dig')] }, { text: 'Done' }],
      dig: [{ calls: [ask('One?'), ask('Two?')] }, { text: 'Gold' }],
    })
    await playLoop(loop, new World(script))
    const world = new World(script)
    world.answer('tc_2')
    const once = await playLoop(loop, world)
    expect(once.outcome).toMatchObject({ status: 'paused', refs: [{ child_tool_call_id: 'tc_3' }] })
    world.answer('tc_3')
    expect((await playLoop(loop, world)).outcome).toMatchObject({ status: 'completed' })
  })
})

describe('sub-agents side by side', () => {
  /** `dig` asks; `wait` works until it is let go. */
  function twoForks(until: Promise<unknown>) {
    return byTask({
      Hello: [{ calls: [fork('dig'), fork('wait')] }, { text: 'Done' }],
      dig: [{ calls: [ask()] }, { text: 'Gold' }],
      wait: [{ text: 'Waited', until }],
    })
  }

  test('[W10.7] one asks while the other works: the question shows at once, the pause comes when the other is done', async () => {
    const working = Promise.withResolvers<void>()
    const played = await playLoop(mainLoop(), new World(twoForks(working.promise)), (event) => {
      if (event.type === 'tool:status') setImmediate(() => working.resolve())
    })
    expect(structureOf(played).slice(-5)).toEqual([
      'status tc_1 awaiting_answer for tc_3',
      'answer turn_3 []',
      'end turn_3 completed',
      'result tc_2 done "Waited"',
      'end turn_1 paused',
    ])
  })

  test('[W10.7] an answer that arrives while the other works resumes the sub-agent at once', async () => {
    const working = Promise.withResolvers<void>()
    const loop = mainLoop()
    const world = new World(twoForks(working.promise))
    const played = await playLoop(loop, world, (event) => {
      if (event.type === 'tool:status') setImmediate(() => world.answer('tc_3'))
      if (event.type === 'tool:result' && event.tool_call_id === 'tc_1') working.resolve()
    })
    expect(structureOf(played).slice(-8)).toEqual([
      'result tc_1 done "Gold"',
      'answer turn_3 []',
      'end turn_3 completed',
      'result tc_2 done "Waited"',
      'end turn_1 completed',
      'start turn_5 root',
      'answer turn_5 []',
      'end turn_5 completed',
    ])
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test('[W10.7] also when the run was resumed, or recovered, while it waited', async () => {
    const first = mainLoop()
    const script = byTask({
      Hello: [{ calls: [fork('dig'), fork('dive')] }, { text: 'Done' }],
      dig: [{ calls: [ask()] }, { text: 'Gold' }],
      dive: [{ calls: [ask()] }, { calls: [{ name: 'Read' }] }, { text: 'Pearls' }],
    })
    const paused = await playLoop(first, new World(script, { ids: longIds() }))
    const [dig, dive] = (paused.outcome as { refs: { child_tool_call_id: string }[] }).refs
    const reading = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Read: {
        async run() {
          await reading.promise
          return { result: 'read' }
        },
      },
    })
    const world = new World(script, { tools })
    world.answer(dive!.child_tool_call_id)
    const played = await playLoop(first, world, (event) => {
      if (event.type === 'tool:claim') setImmediate(() => world.answer(dig!.child_tool_call_id))
      if (event.type === 'tool:result' && event.result === 'Gold') reading.resolve()
    })
    expect(played.outcome).toMatchObject({ status: 'completed' })
    expect(structureOf(played).filter((line) => line.startsWith('result'))).toEqual([
      expect.stringContaining('"Gold"'),
      expect.stringContaining('"read"'),
      expect.stringContaining('"Pearls"'),
    ])
  })

  test('[W10.8] a stop while one waits and the other works cancels the question too, innermost first', async () => {
    const world = new World(twoForks(new Promise(() => undefined)))
    const loop = mainLoop()
    const played = await playLoop(loop, world, (event) => {
      if (event.type === 'tool:status' && event.status === 'awaiting_answer')
        setImmediate(() => world.active.stop('stop'))
    })
    const lines = structureOf(played)
    expect(lines).toContain('status tc_3 cancelled')
    expect(lines).toContain('end turn_2 interrupted again')
    expect(lines).toContain('end turn_3 interrupted')
    expect(lines.slice(-3)).toEqual(['status tc_1 cancelled', 'status tc_2 cancelled', 'end turn_1 interrupted'])
  })

  test('[W10.8] a stop of a resumed run cancels what waited from before', async () => {
    const script = twoForks(new Promise(() => undefined))
    const loop = mainLoop()
    const draining = new World(script)
    await playLoop(loop, draining, (event) => {
      if (event.type === 'tool:status') setImmediate(() => draining.active.stop('shutdown'))
    })
    expect(loop.open?.calls[0]?.state.type).toBe('waiting')
    const world = new World(script)
    const played = await playLoop(loop, world, () => world.active.stop('stop'))
    expect(structureOf(played)).toContain('status tc_3 cancelled')
    expect(structureOf(played)).toContain('end turn_2 interrupted again')
    expect(played.outcome).toEqual({ status: 'interrupted' })
  })

  test('those that wait for people take no place from those that could work', async () => {
    const world = new World(
      byTask({
        Hello: [{ calls: [fork('dig'), fork('dig'), fork('work')] }],
        dig: [{ calls: [ask()] }],
        work: [{ text: 'Worked' }],
      }),
      { parallelCalls: 2 },
    )
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)).toContain('result tc_3 done "Worked"')
    expect(played.outcome).toMatchObject({ status: 'paused', refs: [{}, {}] })
  })
})

/** Ids that no later world gives out again. */
function longIds() {
  let count = 100
  return { next: (prefix: string) => `${prefix}_${++count}` }
}

describe('what a sub-agent is given', () => {
  const agent = (prompt: string, more: object) => ({
    name: 'Agent',
    arguments: { description: `About ${prompt}`, prompt, ...more },
  })
  const offered = (requests: readonly string[], asked: string) =>
    requests
      .map((request) => JSON.parse(request) as ModelRequest)
      .filter((request) => situation(request).asked === asked)
      .map(({ tools }) => tools.map(({ name }) => name))[0]
  const tools = scriptedTools({ Read: { readOnly: true }, Write: {}, Bash: {} })

  test('a few tools: only those are offered, only those run, and it can hand down no others', async () => {
    const world = new World(
      byTask({
        Hello: [{ calls: [agent('dig', { tools: ['Read', 'Agent'] })] }, { text: 'Done' }],
        dig: [{ calls: [{ name: 'Bash' }, agent('deeper', { tools: ['Read', 'Write'] })] }, { text: 'Gold' }],
        deeper: [{ calls: [{ name: 'Write' }] }, { text: 'Lead' }],
      }),
      { tools },
    )
    const played = await playLoop(mainLoop(), world)
    expect(offered(world.model.requests, 'dig')).toEqual(['Read', 'AskUserQuestion', 'Agent'])
    expect(offered(world.model.requests, 'deeper')).toEqual(['Read', 'AskUserQuestion'])
    expect(structureOf(played).filter((line) => line.startsWith('result') && line.includes('error'))).toEqual([
      'result tc_2 error "There is no tool named Bash."',
      'result tc_4 error "There is no tool named Write."',
    ])
  })

  test('another model: it answers there, also for whom it forks', async () => {
    const other = new World(
      byTask({ dig: [{ calls: [fork('deeper')] }, { text: 'Gold' }], deeper: [{ text: 'Lead' }] }),
    )
    const world = new World(byTask({ Hello: [{ calls: [agent('dig', { model: 'big' })] }, { text: 'Done' }] }), {
      findModel: (id) => (id === 'big' ? { id, model: other.model } : undefined),
    })
    await playLoop(mainLoop(), world)
    expect([world.model.requests.length, other.model.requests.length]).toEqual([2, 3])
  })

  test.each([
    ['a tool that is not there', { tools: ['Nothing'] }, 'There is no tool named Nothing.'],
    ['a model that is not there', { model: 'none' }, 'There is no model named none.'],
  ])('%s is an error that says so', async (_what, more, message) => {
    const world = new World(byTask({ Hello: [{ calls: [agent('dig', more)] }, { text: 'Done' }] }), { tools })
    expect(structureOf(await playLoop(mainLoop(), world))).toContain(`result tc_1 error ${JSON.stringify(message)}`)
  })

  test('the policy has a say: what it denies, or would ask about, is not started', async () => {
    for (const verdict of [
      { type: 'deny', reason: 'No agents here.' } as const,
      { type: 'ask', digest: 'x', why: BY_RISK } as const,
    ]) {
      const world = new World(byTask({ Hello: [{ calls: [fork('dig')] }, { text: 'Done' }] }), {
        tools: { ...tools, judge: () => verdict },
      })
      const played = await playLoop(mainLoop(), world)
      expect(structureOf(played).filter((line) => line.startsWith('result tc_1 error'))).toHaveLength(1)
      expect(world.model.requests).toHaveLength(2)
    }
  })

  test('one loop starts fifty sub-agents at most', async () => {
    const calls = Array.from({ length: 51 }, (_, index) => fork(`dig ${index}`))
    const world = new World(({ messages }) =>
      messages.length === 1 && situation({ messages }).asked === 'Hello' ? { calls } : { text: 'ok' },
    )
    const played = await playLoop(mainLoop(), world)
    const errors = structureOf(played).filter((line) => line.includes('There were 50 sub-agents already'))
    expect(errors).toHaveLength(1)
  })

  test('those of earlier runs do not count', async () => {
    const world = new World(byTask({ Hello: [{ calls: [fork('dig')] }, { text: 'Done' }], dig: [{ text: 'Dug' }] }))
    const loop = mainLoop()
    const calls = Array.from({ length: 50 }, (_, at) => ({ id: `p${at}`, name: 'Agent', arguments: '{}' }))
    const content = calls.map((call) => ({ type: 'tool_call' as const, ...call }))
    const results = calls.map(({ id }) => ({ tool_call_id: id, tool_name: 'Agent', text: 'Dug', is_error: false }))
    loop.messages.unshift(
      { role: 'assistant', content },
      ...results.map((result) => ({ role: 'tool' as const, ...result })),
    )
    expect(structureOf(await playLoop(loop, world)).join()).not.toContain('sub-agents already')
  })
})
