import { describe, expect, test } from 'vitest'
import { aborted, mainLoop, playLoop, scriptedTools, structureOf, World } from '../../test/loop/scripted.ts'
import type { LoopState } from './loop-state.ts'

describe('calls of one answer', () => {
  test('[W10.4] read-only calls run side by side, the others one after another in the order they were made', async () => {
    const log: string[] = []
    const noting = (name: string) => async () => {
      log.push(`${name} begins`)
      await immediate()
      log.push(`${name} ends`)
      return { result: name }
    }
    const tools = scriptedTools({
      Read: { readOnly: true, run: noting('Read') },
      Glob: { readOnly: true, run: noting('Glob') },
      Write: { run: noting('Write') },
      Edit: { run: noting('Edit') },
    })
    const calls = ['Write', 'Read', 'Edit', 'Glob'].map((name) => ({ name }))
    await playLoop(mainLoop(), new World([{ calls }, { text: 'Done' }], { tools }))
    expect(log.slice(0, 3).toSorted()).toEqual(['Glob begins', 'Read begins', 'Write begins'])
    expect(log.indexOf('Edit begins')).toBeGreaterThan(log.indexOf('Write ends'))
  })

  test('[W10.4] at most `parallelCalls` run at once', async () => {
    let running = 0
    let most = 0
    const tools = scriptedTools({
      Read: {
        readOnly: true,
        async run() {
          most = Math.max(most, ++running)
          await immediate()
          running -= 1
          return { result: 'ok' }
        },
      },
    })
    const calls = Array.from({ length: 7 }, () => ({ name: 'Read' }))
    await playLoop(mainLoop(), new World([{ calls }, { text: 'Done' }], { tools, parallelCalls: 3 }))
    expect(most).toBe(3)
  })

  test('[DC5] a tool begins only once its claim was taken, and its result is told before the model is asked', async () => {
    let hasRun = false
    const tools = scriptedTools({
      Write: {
        run: () => {
          hasRun = true
          return 'ok'
        },
      },
    })
    const world = new World([{ calls: [{ name: 'Write' }] }, { text: 'Done' }], { tools })
    await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') expect(hasRun).toBe(false)
      if (event.type === 'tool:result') expect(world.model.requests).toHaveLength(1)
    })
    expect(hasRun).toBe(true)
  })

  test('[DC5] what must be done first is done before the call is on record as begun', async () => {
    const log: string[] = []
    const tools = scriptedTools({
      Write: { prepare: async () => void log.push('prepared'), run: () => (log.push('run'), 'ok') },
    })
    const world = new World([{ calls: [{ name: 'Write' }] }, { text: 'Done' }], { tools })
    await playLoop(mainLoop(), world, (event) => void (event.type === 'tool:claim' && log.push('claimed')))
    expect(log).toEqual(['prepared', 'claimed', 'run'])
  })

  test('[DC5] a call that is stopped meanwhile has not begun', async () => {
    const tools = scriptedTools({ Write: { prepare: async () => world.active.stop('stop') } })
    const world: World = new World([{ calls: [{ name: 'Write' }] }], { tools })
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)).not.toContain('claim tc_1 1')
    expect(played.outcome).toMatchObject({ status: 'interrupted' })
  })

  test('[DC5] nor has one of a server that stops: whoever carries on begins it', async () => {
    const tools = scriptedTools({ Write: { prepare: async () => void (world.active.isDraining = true) } })
    const world: World = new World([{ calls: [{ name: 'Write' }] }], { tools })
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played)).not.toContain('claim tc_1 1')
    expect(played.outcome).toEqual({ status: 'handed_back' })
  })

  test.each([
    ['a tool that does not exist', { name: 'Fly' }, 'There is no tool named Fly.'],
    ['a call without a name', { name: '' }, 'There is no tool named (nothing).'],
    ['arguments that are no JSON', { name: 'Write', arguments: '{"a":' }, 'The arguments of Write are not valid JSON.'],
    ['arguments that do not fit', { name: 'Write', arguments: { bad: 1 } }, 'bad is not wanted'],
  ])('[WR-27] %s gives the model an error and is never begun', async (_what, call, message) => {
    const tools = scriptedTools({
      Write: {
        check: (input) =>
          'bad' in (input as object) ? { ok: false, message: 'bad is not wanted' } : { ok: true, value: input },
      },
    })
    const played = await playLoop(mainLoop(), new World([{ calls: [call] }, { text: 'I see' }], { tools }))
    expect(structureOf(played)).not.toContain('claim tc_1 1')
    expect(structureOf(played)).toContain(`result tc_1 error ${JSON.stringify(message)}`)
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test('no arguments at all count as an empty object', async () => {
    const tools = scriptedTools({ Glob: { run: (input) => JSON.stringify(input) } })
    const played = await playLoop(
      mainLoop(),
      new World([{ calls: [{ name: 'Glob', arguments: '' }] }, { text: 'ok' }], { tools }),
    )
    expect(structureOf(played)).toContain('result tc_1 done "{}"')
  })

  test.each([
    ['rejects', async () => Promise.reject(new Error('no such file'))],
    [
      'throws before it returns a promise',
      () => {
        throw new Error('no such file')
      },
    ],
  ])('[WR-27] a tool that %s gives the model its message', async (_how, run) => {
    const tools = scriptedTools({ Read: {} })
    tools.find('Read')!.run = run
    const played = await playLoop(mainLoop(), new World([{ calls: [{ name: 'Read' }] }, { text: 'I see' }], { tools }))
    expect(structureOf(played)).toContain('result tc_1 error "no such file"')
    expect(played.outcome).toMatchObject({ status: 'completed' })
  })

  test('an output marked as an error is one', async () => {
    const tools = scriptedTools({ Bash: { run: async () => ({ result: 'exit 1', isError: true }) } })
    const loop = mainLoop()
    await playLoop(loop, new World([{ calls: [{ name: 'Bash' }] }, { text: 'I see' }], { tools }))
    expect(loop.messages[2]).toMatchObject({ role: 'tool', text: 'exit 1', is_error: true })
  })

  test('[W7.10] the model never sees `_meta`, whether the result is an object or JSON text', async () => {
    const tools = scriptedTools({
      A: { run: () => ({ ok: true, _meta: { ui: {} } }) },
      B: { run: () => '{"ok":true,"_meta":{"ui":{}}}' },
      C: { run: () => 'says "_meta" and is no JSON' },
    })
    const loop = mainLoop()
    const calls = [{ name: 'A' }, { name: 'B' }, { name: 'C' }]
    await playLoop(loop, new World([{ calls }, { text: 'ok' }], { tools }))
    expect(loop.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))).toEqual([
      '{"ok":true}',
      '{"ok":true}',
      'says "_meta" and is no JSON',
    ])
  })
})

describe('a stop', () => {
  test('[W10.8] during a tool: it is aborted and cancelled, what was not begun too; the model gets a result for each', async () => {
    const loop = mainLoop()
    const tools = scriptedTools({ Bash: { run: untilAborted }, Write: {} })
    const world = new World([{ calls: [{ name: 'Bash' }, { name: 'Write' }] }], { tools })
    const played = playLoop(loop, world, (event) => {
      if (event.type === 'tool:claim') setImmediate(() => world.active.stop('stop'))
    })
    expect(structureOf(await played)).toEqual([
      'start turn_1 root',
      'answer turn_1 [tc_1 pending, tc_2 pending]',
      'claim tc_1 1',
      'status tc_1 cancelled',
      'status tc_2 cancelled',
      'end turn_1 interrupted',
    ])
    expect((await played).outcome).toEqual({ status: 'interrupted' })
    expect(loop.messages.slice(2)).toMatchObject([
      { role: 'tool', text: 'cancelled by the user', is_error: true },
      { role: 'tool', text: 'cancelled by the user', is_error: true },
    ])
  })

  test('[W10.8] a tool that does not listen is left behind after the grace', async () => {
    const grace = Promise.withResolvers<void>()
    let graceMs = 0
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      sleep: (ms: number) => {
        graceMs = ms
        return grace.promise
      },
    }
    const tools = scriptedTools({ Bash: { run: () => new Promise(() => undefined) } })
    const world = new World([{ calls: [{ name: 'Bash' }] }], { tools, clock })
    const played = playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') setImmediate(() => world.active.stop('stop'))
    })
    await aborted(world.env.signal)
    await immediate()
    expect(graceMs).toBeGreaterThan(0)
    expect(graceMs).toBeLessThan(2_000)
    grace.resolve()
    expect((await played).outcome).toEqual({ status: 'interrupted' })
  })

  test('a tool that ends by itself leaves nothing behind on the run’s signal', async () => {
    const world = new World([{ calls: [{ name: 'Read' }] }, { text: 'ok' }], { tools: scriptedTools({ Read: {} }) })
    let listeners = 0
    const { signal } = world.env
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...given)
    }
    await playLoop(mainLoop(), world)
    expect(listeners).toBe(0)
  })

  test('[DC5] committed before the claim: the tool never runs', async () => {
    let hasRun = false
    const tools = scriptedTools({
      Write: {
        run: () => {
          hasRun = true
          return 'ok'
        },
      },
    })
    const world = new World([{ calls: [{ name: 'Write' }] }], { tools })
    const played = await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') world.active.stop('stop')
    })
    expect(hasRun).toBe(false)
    expect(played.outcome).toEqual({ status: 'interrupted' })
  })
})

describe('a shutdown', () => {
  test('[D3] draining: a tool under way ends, no other one begins', async () => {
    const tools = scriptedTools({ Write: {}, Edit: {} })
    const world = new World([{ calls: [{ name: 'Write' }, { name: 'Edit' }] }], { tools })
    const loop = mainLoop()
    const played = await playLoop(loop, world, (event) => {
      if (event.type === 'tool:claim') world.active.isDraining = true
    })
    expect(structureOf(played).slice(2)).toEqual(['claim tc_1 1', 'result tc_1 done "Write"'])
    expect(played.outcome).toEqual({ status: 'handed_back' })
    expect(loop.open?.calls.map(({ state }) => state.type)).toEqual(['settled', 'announced'])
  })

  test('[D3] an aborted tool says that it was stopped by the shutdown', async () => {
    const tools = scriptedTools({ Bash: { run: untilAborted } })
    const world = new World([{ calls: [{ name: 'Bash' }] }], { tools })
    const played = await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') setImmediate(() => world.active.stop('shutdown'))
    })
    expect(structureOf(played)).toContain('result tc_1 error "stopped by shutdown; effects may be partial"')
    expect(played.outcome).toEqual({ status: 'handed_back' })
  })

  test.each(['safe', 'keyed'] as const)(
    '[D3] a %s tool that a shutdown cuts short is left for whoever carries on',
    async (replay) => {
      const tools = scriptedTools({ Bash: { replay, run: untilAborted } })
      const world = new World([{ calls: [{ name: 'Bash' }] }], { tools })
      const loop = mainLoop()
      const played = await playLoop(loop, world, (event) => {
        if (event.type === 'tool:claim') setImmediate(() => world.active.stop('shutdown'))
      })
      expect(played.outcome).toEqual({ status: 'handed_back' })
      expect(loop.open?.calls.map(({ state }) => state)).toEqual([{ type: 'claimed', attempt: 1 }])
    },
  )

  test('[D3] an owner that may not act any more begins nothing, though its claim went through', async () => {
    let hasRun = false
    const tools = scriptedTools({
      Write: {
        run: () => {
          hasRun = true
          return 'ok'
        },
      },
    })
    const world = new World([{ calls: [{ name: 'Write' }] }], { tools })
    world.mayAct = false
    expect((await playLoop(mainLoop(), world)).outcome).toEqual({ status: 'handed_back' })
    expect(hasRun).toBe(false)
  })
})

describe('a turn that is carried on', () => {
  test.each([
    ['announced: it runs', { replay: 'never', state: { type: 'announced' } }, ['done "ran"', 1]],
    [
      'claimed and never to be repeated: nobody knows',
      { replay: 'never', state: { type: 'claimed', attempt: 1 } },
      ['error "outcome unknown: the server stopped while this was running"', 0],
    ],
    ['claimed and safe: it runs again', { replay: 'safe', state: { type: 'claimed', attempt: 2 } }, ['done "ran"', 1]],
    [
      'claimed and keyed: it runs again',
      { replay: 'keyed', state: { type: 'claimed', attempt: 1 } },
      ['done "ran"', 1],
    ],
    [
      'claimed and keyed, three attempts made: nobody knows',
      { replay: 'keyed', state: { type: 'claimed', attempt: 3 } },
      ['error "outcome unknown: the server stopped while this was running"', 0],
    ],
    [
      'claimed and safe, three attempts made: nobody knows',
      { replay: 'safe', state: { type: 'claimed', attempt: 3 } },
      ['error "outcome unknown: the server stopped while this was running"', 0],
    ],
  ] as const)('[D3] a call %s', async (_what, { replay, state }, [result, runs]) => {
    let ran = 0
    const tools = scriptedTools({
      Bash: {
        replay,
        run: () => {
          ran += 1
          return 'ran'
        },
      },
    })
    const world = new World([{ text: 'Done' }], { tools })
    const played = await playLoop(inTheMiddle(state), world)
    expect(structureOf(played)).toContain(`result tc_7 ${result}`)
    if (runs > 0)
      expect(structureOf(played)).toContain(`claim tc_7 ${state.type === 'claimed' ? state.attempt + 1 : 1}`)
    expect(ran).toBe(runs)
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'completed' })
  })

  test('[D3] a call claimed for a tool that is gone by now: nobody knows', async () => {
    const loop = inTheMiddle({ type: 'claimed', attempt: 1 })
    const played = await playLoop(loop, new World([{ text: 'Done' }], { tools: scriptedTools({}) }))
    expect(structureOf(played)).toContain(
      'result tc_7 error "outcome unknown: the server stopped while this was running"',
    )
  })

  test('[D3] a call whose result is stored keeps it', async () => {
    const loop = inTheMiddle({ type: 'settled', status: 'done', result: 'from before' })
    const played = await playLoop(loop, new World([{ text: 'Done' }], { tools: scriptedTools({ Bash: {} }) }))
    expect(structureOf(played)[0]).toBe('end turn_7 completed')
    expect(loop.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'p7', text: 'from before' })
  })
})

function inTheMiddle(state: NonNullable<LoopState['open']>['calls'][number]['state']): LoopState {
  const loop = mainLoop()
  loop.used = 1
  loop.open = {
    turn_id: 'turn_7',
    parts: [{ type: 'tool_call', id: 'p7', name: 'Bash', arguments: '{}' }],
    calls: [{ id: 'tc_7', provider_id: 'p7', name: 'Bash', arguments: '{}', state, consent: null, child: null }],
    isEnded: false,
    isCut: false,
  }
  return loop
}

async function untilAborted(_input: unknown, { signal }: { signal: AbortSignal }): Promise<{ result: string }> {
  await aborted(signal)
  throw new Error('aborted')
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
