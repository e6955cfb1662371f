import { describe, expect, test } from 'vitest'
import { fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { dataOf, Rig, structure } from './rig.ts'

const CUT: Reply = { thinking: 'Hm', text: 'So far', calls: [{ name: 'Bash' }], finish: 'length' }
const ENDING = [
  'turn:end assistant completed',
  'turn:start system completed',
  'turn:end system completed',
  'chat:end completed completed',
  'session:updated',
]

describe('[W10.10] an answer that reached its length', () => {
  test('ends the run as completed, with a notice, and says so', async () => {
    await using rig = await Rig.open()
    let runs = 0
    const one = rig.instance({ model: [CUT, { text: 'More' }], tools: scriptedTools({ Bash: { run: () => ++runs } }) })
    const { session_id, events } = await one.chat('Hello')
    expect(structure(events).slice(-6)).toEqual(['turn:start assistant streaming', ...ENDING])
    expect(dataOf(events, 'chat:end')).toMatchObject({ finish_reason: 'completed', cut: 'length', error: null })
    const [, answer, notice] = await one.messages(session_id)
    expect(answer).toMatchObject({ tool_calls: [], blocks: [{ content: 'Hm' }, { content: 'So far' }] })
    expect(notice).toMatchObject({ role: 'system', blocks: [{ type: 'system_notification' }] })
    expect(JSON.stringify(notice!.blocks)).toContain('not run')
    expect(runs).toBe(0)
    const after = await one.events(await one.send(session_id, 'Go on'))
    expect(dataOf(after, 'chat:end')).not.toHaveProperty('cut')
    expect(one.model.requests[1]).toContain('So far')
    expect(one.model.requests[1]).not.toMatch(/Bash.*arguments|Hm/)
  })

  test.each(['before:C9', 'after:C2b'] as const)(
    'is told the same, once, by whoever carries the run on when its owner stopped %s',
    async (point) => {
      await using rig = await Rig.open()
      const dead = rig.frozenAt(point, { model: [CUT] })
      const two = rig.instance({ model: [CUT] })
      const { id } = await dead.create()
      const accepted = await dead.send(id, 'Hello')
      await dead.frozen
      await rig.takeOver(id, two)
      const events = await two.events(accepted)
      expect(dataOf(events, 'chat:end')).toMatchObject({ finish_reason: 'completed', cut: 'length' })
      expect(events.filter(({ type, data }) => type === 'turn:end' && data['role'] === 'system')).toHaveLength(1)
      expect(two.model.requests).toHaveLength(point === 'before:C9' ? 0 : 1)
    },
  )

  test('of a sub-agent: its result says so, and the run goes on', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({
      model: (request) => {
        const { asked } = situation(request)
        if (asked === 'part') return CUT
        return request.messages.some(({ role }) => role === 'tool') ? { text: 'Done' } : { calls: [fork('part')] }
      },
    })
    const { session_id, events } = await one.chat('Hello')
    expect(dataOf(events, 'chat:end')).not.toHaveProperty('cut')
    const call = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)[0]
    expect(call).toMatchObject({ status: 'done', result: expect.stringMatching(/^So far\n.*limit of its length/) })
  })

  test('is no result where one is wanted: the model is asked for it', async () => {
    await using rig = await Rig.open()
    const result = { calls: [{ name: 'submit_result', arguments: { n: 1 } }] }
    const one = rig.instance({ model: [CUT, result] })
    const output_schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const { events } = await one.chat('Hello', { output_schema })
    expect(dataOf(events, 'chat:end')).toMatchObject({ result: { output: { n: 1 } } })
    expect(dataOf(events, 'chat:end')).not.toHaveProperty('cut')
  })
})
