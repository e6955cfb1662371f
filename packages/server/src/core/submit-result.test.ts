import { describe, expect, test } from 'vitest'
import { mainLoop, playLoop, fork, scriptedTools, situation, structureOf, World } from '../../test/loop/scripted.ts'
import type { OutputContract } from './loop-env.ts'
import { REMINDER } from './run-loop.ts'

const output: OutputContract = {
  spec: { name: 'submit_result', description: 'Hand in', input: { type: 'object' } },
  check: async (input) =>
    typeof input === 'object' && input !== null && 'n' in input
      ? { ok: true, value: input }
      : { ok: false, errors: ['result must have n'] },
}

const handIn = (value: unknown) => ({ name: 'submit_result', arguments: value })

describe('a structured result', () => {
  test('[W10.13] that fits ends the run', async () => {
    const world = new World([{ calls: [handIn({ n: 1 })] }], { output })
    const played = await playLoop(mainLoop(), world)
    expect(structureOf(played).slice(2)).toEqual(['result tc_1 done "accepted"', 'end turn_1 completed'])
    expect(played.outcome).toEqual({ status: 'completed', finish_reason: 'completed', output: { n: 1 } })
  })

  test('[W10.13] that does not fit goes back to the model, which may repair it; from then on it must call', async () => {
    const loop = mainLoop()
    const world = new World([{ calls: [handIn({})] }, { calls: [handIn({ n: 1 })] }], { output })
    const played = await playLoop(loop, world)
    expect(played.outcome).toMatchObject({ output: { n: 1 } })
    expect(loop.messages[2]).toMatchObject({
      role: 'tool',
      is_error: true,
      text: expect.stringContaining('result must have n'),
    })
    expect(world.model.requests[0]).not.toContain('"toolChoice"')
    expect(world.model.requests[1]).toContain('"toolChoice":"required"')
  })

  test.each([
    ['wrong every time', () => ({ calls: [handIn({})] }), 'result must have n'],
    ['no JSON', () => ({ calls: [handIn('{')] }), 'not valid JSON'],
    ['never handed in', () => ({ text: 'It is one.' }), 'never called submit_result'],
  ])('[W10.13] %s: after three attempts the run fails', async (_what, reply, error) => {
    const world = new World(reply, { output })
    const played = await playLoop(mainLoop(), world)
    expect(world.model.requests).toHaveLength(3)
    expect(played.events.at(-1)).toMatchObject({ type: 'turn:end', status: 'failed' })
    expect(played.outcome).toMatchObject({
      status: 'failed',
      finish_reason: null,
      error: { code: 'output_schema_unsatisfied', details: { errors: [expect.stringContaining(error)] } },
    })
  })

  test('[W10.13] an answer without the call gets a reminder', async () => {
    const loop = mainLoop()
    const world = new World([{ text: 'It is one.' }, { calls: [handIn({ n: 1 })] }], { output })
    await playLoop(loop, world)
    expect(loop.messages[2]).toEqual({ role: 'user', content: [{ type: 'text', text: REMINDER }] })
  })

  test('one that fits counts, whatever else was handed in with it', async () => {
    const calls = [handIn({}), handIn({}), handIn({}), handIn({ n: 1 })]
    const played = await playLoop(mainLoop(), new World([{ calls }], { output }))
    expect(played.outcome).toMatchObject({ status: 'completed', output: { n: 1 } })
  })

  test('accepted before a restart, it is accepted after it: the model is not asked again', async () => {
    const loop = mainLoop()
    loop.open = {
      turn_id: 'turn_7',
      parts: [{ type: 'tool_call', id: 'p7', name: 'submit_result', arguments: '{"n":1}' }],
      calls: [
        {
          id: 'tc_7',
          provider_id: 'p7',
          name: 'submit_result',
          arguments: '{"n":1}',
          state: { type: 'settled', status: 'done', result: 'accepted' },
          consent: null,
          child: null,
        },
      ],
      isEnded: false,
      isCut: false,
    }
    const world = new World([], { output })
    expect((await playLoop(loop, world)).outcome).toMatchObject({ status: 'completed', output: { n: 1 } })
    expect(world.model.requests).toEqual([])
  })

  test('is the main agent’s to hand in: sub-agents are not offered the tool', async () => {
    const world = new World(
      (request) =>
        situation(request).asked === 'dig'
          ? { text: request.tools.map(({ name }) => name).join() }
          : situation(request).results.length > 0
            ? { calls: [handIn({ n: 1 })] }
            : { calls: [fork('dig')] },
      { output, tools: scriptedTools({ Read: {} }) },
    )
    expect(structureOf(await playLoop(mainLoop(), world))).toContain('result tc_1 done "Read,AskUserQuestion,Agent"')
  })
})
