import { describe, expect, test } from 'vitest'
import { SUM_UP } from './run-loop.ts'
import { inShort, mainLoop, playLoop, scriptedTools, structureOf, World } from '../../test/loop/scripted.ts'

describe('an answer', () => {
  test('[W10.1] text streams in one block; the turn ends, and the run with it', async () => {
    const world = new World([{ text: 'Paris it is.' }])
    const { events, outcome } = await playLoop(mainLoop(), world)
    expect(events.map(inShort)).toEqual([
      'call root',
      'input root',
      'start turn_1 root',
      'text new Paris',
      'text it',
      'text is.',
      'answer turn_1 []',
      'end turn_1 completed',
    ])
    expect(outcome).toEqual({ status: 'completed', finish_reason: 'completed' })
  })

  test('[W10.1] thinking comes first, as a block of its own', async () => {
    const world = new World([{ thinking: 'Hm, well.', text: 'Yes. No.' }])
    const { events } = await playLoop(mainLoop(), world)
    expect(events.filter(({ type }) => type === 'text').map(inShort)).toEqual([
      'thinking new Hm,',
      'thinking well.',
      'text new Yes.',
      'text No.',
    ])
  })

  test('[W10.10] one that reached its length ends the run: its text stays, its calls are not run, and people are told', async () => {
    const loop = mainLoop()
    const tools = scriptedTools({ Bash: {} })
    const world = new World([{ thinking: 'Hm', text: 'So far', calls: [{ name: 'Bash' }], finish: 'length' }], {
      tools,
    })
    const played = await playLoop(loop, world)
    const { events, outcome } = played
    expect(structureOf(played)).toEqual(['start turn_1 root', 'answer turn_1 []', 'end turn_1 completed'])
    expect(events.at(-1)).toMatchObject({ type: 'turn:end', notice: 'Cut.' })
    expect(outcome).toEqual({ status: 'completed', finish_reason: 'completed', cut: 'length' })
    expect(loop.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'So far' }] })
  })

  test('two parts of the same type are two blocks', async () => {
    const accepted = { type: 'accepted', model: 'scripted' } as const
    const finish = { type: 'finish', reason: 'stop', usage: null } as const
    const world = new World([
      {
        events: [
          accepted,
          { type: 'text', delta: 'one' },
          { type: 'part_end', part: 'text' },
          { type: 'text', delta: 'two' },
          finish,
        ],
      },
    ])
    const { events } = await playLoop(mainLoop(), world)
    expect(events.filter(({ type }) => type === 'text').map(inShort)).toEqual(['text new one', 'text new two'])
  })

  test('what a provider wants back with a part goes back with it, also when the part has no text', async () => {
    const loop = mainLoop()
    const world = new World([
      {
        events: [
          { type: 'accepted', model: 'scripted' },
          { type: 'part_end', part: 'thinking', metadata: { redacted: 'xyz' } },
          { type: 'thinking', delta: 'Hm' },
          { type: 'part_end', part: 'thinking', metadata: { signature: 's' } },
          { type: 'text', delta: 'Yes' },
          { type: 'finish', reason: 'stop', usage: null },
        ],
      },
    ])
    await playLoop(loop, world)
    expect(loop.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', text: '', metadata: { redacted: 'xyz' } },
        { type: 'thinking', text: 'Hm', metadata: { signature: 's' } },
        { type: 'text', text: 'Yes' },
      ],
    })
  })

  test('[W10.9] every refused attempt is told before the turn begins', async () => {
    const { events } = await playLoop(mainLoop(), new World([{ retries: 2, text: 'ok' }]))
    expect(events.map(inShort).slice(0, 5)).toEqual([
      'call root',
      'input root',
      'retry 1',
      'retry 2',
      'start turn_1 root',
    ])
  })

  test('[WR-47] a call refused for good leaves no turn', async () => {
    const world = new World([{ failure: { kind: 'auth', message: 'bad key' } }])
    const { events, outcome } = await playLoop(mainLoop(), world)
    expect(events.map(inShort)).toEqual(['call root', 'input root'])
    expect(outcome).toEqual({
      status: 'failed',
      finish_reason: null,
      error: { code: 'llm_error', message: 'bad key', details: { kind: 'auth' } },
    })
  })

  test.each([
    ['server', true, 'llm_stream_incomplete'],
    ['server', false, 'llm_error'],
    ['overflow', true, 'context_overflow'],
  ] as const)('[W10.9] a %s failure after acceptance (incomplete: %s) is %s, and its text stays', async (...row) => {
    const [kind, incomplete, code] = row
    const loop = mainLoop()
    const world = new World([
      { text: 'Half an', calls: [{ name: 'Write' }], failure: { kind, incomplete, message: 'gone' } },
    ])
    const played = await playLoop(loop, world)
    expect(structureOf(played)).toEqual(['start turn_1 root', 'answer turn_1 []', 'end turn_1 failed'])
    expect(played.events.at(-1)).toMatchObject({ failure_reason: `${code}: gone` })
    expect(played.outcome).toMatchObject({ status: 'failed', finish_reason: null, error: { code } })
    // A call that was never announced is no part of the conversation.
    expect(loop.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Half an' }] })
  })

  test('a model that refuses to say anything fails the run; one that explains itself does not', async () => {
    const silent = new World([
      {
        events: [
          { type: 'accepted', model: 'm' },
          { type: 'finish', reason: 'refused', usage: null },
        ],
      },
    ])
    expect((await playLoop(mainLoop(), silent)).outcome).toMatchObject({ status: 'failed' })
    const polite = new World([{ text: 'I would rather not.', finish: 'refused' }])
    expect((await playLoop(mainLoop(), polite)).outcome).toMatchObject({ status: 'completed' })
  })

  test('[W10.8] a stop while text streams: what was said stays, the turn and the run are interrupted', async () => {
    const loop = mainLoop()
    const world = new World([{ text: 'I take my time', until: new Promise(() => undefined) }])
    const played = await playLoop(loop, world, (event) => {
      if (event.type === 'text' && event.delta.startsWith('time')) world.active.stop('stop')
    })
    expect(structureOf(played)).toEqual(['start turn_1 root', 'answer turn_1 []', 'end turn_1 interrupted'])
    expect(played.outcome).toEqual({ status: 'interrupted' })
    expect(loop.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'I take my time' }] })
  })

  test('[W10.8] a stop before the provider has accepted leaves no turn', async () => {
    const world = new World([{ text: 'never' }])
    const played = await playLoop(mainLoop(), world, () => world.active.stop('stop'))
    expect(played.events.map(inShort)).toEqual(['call root', 'input root'])
    expect(played.outcome).toEqual({ status: 'interrupted' })
  })

  test('a shutdown while text streams leaves the turn open for whoever carries on', async () => {
    const world = new World([{ text: 'I take my time', until: new Promise(() => undefined) }])
    const played = await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'text') world.active.stop('shutdown')
    })
    expect(structureOf(played)).toEqual(['start turn_1 root'])
    expect(played.outcome).toEqual({ status: 'handed_back' })
  })
})

describe('rounds', () => {
  test('[WR-1] one model call is one turn; results go to the model in the order of the calls', async () => {
    const loop = mainLoop()
    const world = new World([{ text: 'First', calls: [{ name: 'A' }, { name: 'B' }] }, { text: 'Done' }], {
      tools: scriptedTools({ A: { readOnly: true, run: () => later('a') }, B: { readOnly: true } }),
    })
    const played = await playLoop(loop, world)
    expect(structureOf(played)).toEqual([
      'start turn_1 root',
      'answer turn_1 [tc_1 pending, tc_2 pending]',
      'claim tc_1 1',
      'claim tc_2 1',
      'result tc_2 done "B"',
      'result tc_1 done "a"',
      'end turn_1 completed',
      'start turn_2 root',
      'answer turn_2 []',
      'end turn_2 completed',
    ])
    expect(loop.messages.slice(2, 4)).toEqual([
      { role: 'tool', tool_call_id: 'p1_0', tool_name: 'A', text: 'a', is_error: false },
      { role: 'tool', tool_call_id: 'p1_1', tool_name: 'B', text: 'B', is_error: false },
    ])
  })

  test('[W10.10] after `maxTurns` calls the run ends, in good order and with a word about it', async () => {
    const world = new World(() => ({ calls: [{ name: 'A' }] }), { tools: scriptedTools({ A: {} }), maxTurns: 2 })
    const played = await playLoop(mainLoop(), world)
    expect(world.model.requests).toHaveLength(2)
    expect(structureOf(played).slice(-2)).toEqual(['end turn_2 completed', 'notice root Stopped after 2 model calls.'])
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'max_turns' })
  })

  test('[O9] a run that closes asks once more at its limit, without tools, and runs no call of that answer', async () => {
    const world = new World(({ tools }) => ({ text: `offered ${tools.length > 0}`, calls: [{ name: 'A' }] }), {
      ...{ tools: scriptedTools({ A: {} }), maxTurns: 2, closes: true },
    })
    const played = await playLoop(mainLoop(), world)
    expect(world.model.requests.map((request) => request.includes('"tools":[]'))).toEqual([false, false, true])
    expect(world.model.requests.at(-1)).toContain(SUM_UP)
    expect(structureOf(played).at(-1)).toBe('end turn_3 completed')
    expect(played.events.filter(({ type }) => type === 'tool:claim')).toHaveLength(2)
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'max_turns' })
  })

  test('[D3] a closing call that a restart cut off is made again', async () => {
    const world = new World([{ text: 'In short' }], { tools: scriptedTools({ A: {} }), maxTurns: 2, closes: true })
    const played = await playLoop(Object.assign(mainLoop(), { used: 3 }), world)
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'max_turns' })
    expect(world.model.requests[0]).toContain('"tools":[]')
  })

  test('[W5.6] what people add reaches the model with its next call, after the results', async () => {
    const loop = mainLoop()
    const world = new World([{ calls: [{ name: 'A' }] }, { text: 'Done' }], { tools: scriptedTools({ A: {} }) })
    await playLoop(loop, world, (event) => {
      if (event.type === 'tool:claim')
        world.active.addMessage({ role: 'user', content: [{ type: 'text', text: 'Hurry' }] })
    })
    expect(loop.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  })

  test('draining: no new model call, and the run is handed back between two turns', async () => {
    const world = new World([{ calls: [{ name: 'A' }] }, { text: 'not here' }], { tools: scriptedTools({ A: {} }) })
    const played = await playLoop(mainLoop(), world, (event) => {
      if (event.type === 'tool:claim') world.active.isDraining = true
    })
    expect(structureOf(played).slice(-2)).toEqual(['result tc_1 done "A"', 'end turn_1 completed'])
    expect(played.outcome).toEqual({ status: 'handed_back' })
    expect(world.model.requests).toHaveLength(1)
  })

  test('draining: an answer under way is finished, and a run it ends is ended', async () => {
    const world = new World([{ text: 'Nearly done' }])
    const played = await playLoop(mainLoop(), world, () => {
      world.active.isDraining = true
    })
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'completed' })
  })

  test('[D4] the bytes of one request are the beginning of the next one', async () => {
    const world = new World(
      [{ thinking: 'Hm', text: 'First', calls: [{ name: 'A' }] }, { calls: [{ name: 'A' }] }, { text: 'Done' }],
      {
        tools: scriptedTools({ A: {}, B: {} }),
      },
    )
    await playLoop(mainLoop(), world)
    const [first, second, third] = world.model.requests.map((request) => request.slice(0, -2)) // without `]}`
    expect(second!.startsWith(first!)).toBe(true)
    expect(third!.startsWith(second!)).toBe(true)
  })
})

async function later(result: string): Promise<{ result: string }> {
  await new Promise((resolve) => setImmediate(resolve))
  return { result }
}
