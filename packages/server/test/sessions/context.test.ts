import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, dataOf, holdAt, lastCall, Rig } from './rig.ts'

const bytesOf = (request: string | undefined) => request!.slice(0, -2) // without `]}`
const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length

describe('[D4] what the model gets', () => {
  test.each([
    ['thinking, a text and calls', { thinking: 'Hm', text: 'Well', calls: [{ name: 'Read' }] }],
    ['thinking and a text, no calls', { thinking: 'Hm', text: 'Well' }],
    [
      'two texts',
      {
        events: [
          { type: 'accepted', model: 'm' },
          { type: 'text', delta: 'one' },
          { type: 'part_end', part: 'text' },
          { type: 'text', delta: 'two' },
          { type: 'finish', reason: 'stop', usage: null },
        ],
      },
    ],
    [
      'a signature, and a thought that is kept secret',
      {
        events: [
          { type: 'accepted', model: 'm' },
          { type: 'part_end', part: 'thinking', metadata: { redacted: 'xyz' } },
          { type: 'thinking', delta: 'Hm' },
          { type: 'part_end', part: 'thinking', metadata: { signature: 's' } },
          { type: 'text', delta: 'Yes' },
          { type: 'finish', reason: 'stop', usage: null },
        ],
      },
    ],
    ['nothing at all', { text: '' }],
    ['a question that makes no sense', { calls: [{ name: 'AskUserQuestion', arguments: '{' }] }],
  ] as [string, Reply][])(
    'an answer with %s is the same bytes in its own run and in the next one',
    async (_what, reply) => {
      await using rig = await Rig.open(':memory:')
      let asked = 0
      const held = holdAt('before:C9')
      const one = rig.instance({
        model: () => (++asked === 1 ? reply : { text: 'Done' }),
        tools: scriptedTools({ Read: { run: () => ({ lines: ['ä', '中'] }) } }),
        at: held.at,
      })
      const { id } = await one.create()
      const accepted = await one.send(id, 'Hello')
      await held.reached
      // So that the same run asks once more, whatever the answer was.
      await one.append(id, 'One more thing')
      held.go()
      await one.events(accepted)
      await one.events(await one.send(id, 'Again'))
      expect(one.model.requests.length).toBeGreaterThan(2)
      for (const [at, request] of one.model.requests.entries())
        if (at > 0) expect(request.startsWith(bytesOf(one.model.requests[at - 1]))).toBe(true)
    },
  )

  test.each([
    ['plain', 'x'.repeat(100_000)],
    ['Chinese', '中'.repeat(60_000)],
    ['faces', '🙂'.repeat(40_000)],
    ['structured', { lines: Array.from({ length: 9_000 }, (_, n) => `line ${n}`) }],
  ])('a %s result too long for history is cut for the model, in the next run as in its own', async (_what, result) => {
    await using rig = await Rig.open(':memory:')
    const tools = scriptedTools({ Read: { run: async () => ({ result }) } })
    const one = rig.instance({
      model: [{ calls: [{ name: 'Read' }] }, { text: 'Long' }, { text: 'Still long' }],
      tools,
    })
    const { session_id } = await one.chat('Hello')
    const [, { tool_calls }] = (await one.messages(session_id)) as [unknown, { tool_calls: object[] }]
    expect(tool_calls[0]).toMatchObject({ result_truncated: true })
    await one.events(await one.send(session_id, 'Again'))
    expect(one.model.requests[2]!.startsWith(bytesOf(one.model.requests[1]))).toBe(true)
    expect(one.model.requests[1]!.length).toBeLessThan(50_000)
    expect(one.model.requests[1]).toContain('(the rest was left out)')
  })

  test('a turn that waits is carried on however many turns its sub-agents made', async () => {
    await using rig = await Rig.open(':memory:')
    const one = rig.instance({
      model: (request) => {
        const { asked } = situation(request)
        if (asked === 'dig') return rounds(request) < 420 ? { calls: [{ name: 'Read' }] } : { text: 'Gold' }
        if (asked === 'ask') return rounds(request) === 0 ? { calls: [ask()] } : { text: 'Asked' }
        return rounds(request) === 0 ? { calls: [fork('ask'), fork('dig')] } : { text: 'Done' }
      },
      tools: scriptedTools({ Read: {} }),
      maxTurns: 1_000,
    })
    const { session_id, events } = await one.chat('Hello')
    expect(dataOf(events, 'chat:end')).toMatchObject({ session_status: 'waiting_for_input' })
    const resumed = await one.events(await one.answer(session_id, choose(lastCall(events))))
    expect(dataOf(resumed, 'chat:end')).toMatchObject({ session_status: 'completed' })
    expect((await one.messages(session_id))[1]!.tool_calls).toMatchObject([{ result: 'Asked' }, { result: 'Gold' }])
    expect(rig.errors).toEqual([])
  })
})
