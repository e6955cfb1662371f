import { describe, expect, test } from 'vitest'
import { aborted, ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, dataOf, holdAt, inShort, lastCall, me, Rig, structure } from './rig.ts'
import type { ModelRequest } from '../../src/ports.ts'

const never = new Promise<never>(() => undefined)
const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length
const byTask = (tasks: Record<string, readonly Reply[]>) => (request: ModelRequest) =>
  tasks[situation(request).asked]?.[rounds(request)] ?? { text: 'nothing left' }

describe('[W10.8] a stop', () => {
  test('while text streams: what was said stays, and the next run knows of it', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ text: 'Half an answer', until: never }, { text: 'Then not' }] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ data }) => data['patch_type'] === 'add_content')
    expect(await one.stop(id)).toBe(true)
    const events = await one.events(accepted)
    expect(structure(events).slice(-3)).toEqual([
      'turn:end assistant interrupted',
      'chat:end interrupted interrupted',
      'session:updated',
    ])
    expect(dataOf(events, 'chat:end')).toMatchObject({ result: null, finish_reason: null, error: null })
    await one.events(await one.send(id, 'Go on'))
    expect(one.model.requests[1]).toContain('Half an')
  })

  test('while a tool runs: it is aborted; every call is cancelled', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({
      Bash: {
        async run(_input, { signal }) {
          await aborted(signal)
          throw new Error('killed')
        },
      },
      Write: {},
    })
    const held = holdAt('after:C5')
    const one = rig.instance({ model: [{ calls: [{ name: 'Bash' }, { name: 'Write' }] }], tools, at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await held.reached
    held.go()
    await one.stop(id)
    const events = await one.events(accepted)
    expect(structure(events).slice(-5)).toEqual([
      'set_tool_status cancelled',
      'set_tool_status cancelled',
      'turn:end assistant interrupted',
      'chat:end interrupted interrupted',
      'session:updated',
    ])
  })

  test('[DC5] committed before the claim wins: no claim is stored, and the tool never runs', async () => {
    await using rig = await Rig.open()
    let hasRun = false
    const tools = scriptedTools({
      Write: {
        run: () => {
          hasRun = true
          return 'ok'
        },
      },
    })
    const held = holdAt('before:C5')
    const one = rig.instance({ model: [{ calls: [{ name: 'Write' }] }], tools, at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await held.reached
    // By another instance: the flag alone, nobody tells the run.
    await rig.sql('UPDATE gates SET stop_requested = 1 WHERE session_id = ?', [id])
    held.go()
    const events = await one.events(accepted)
    expect(events.map(({ type }) => type)).not.toContain('run:tool_claim')
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'interrupted' })
    expect(hasRun).toBe(false)
  })

  test('[DC9] committed before the end wins, and a question that was to be asked is withdrawn', async () => {
    await using rig = await Rig.open()
    const held = holdAt('before:C9')
    const one = rig.instance({ model: [{ calls: [ask()] }], at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await held.reached
    await rig.sql('UPDATE gates SET stop_requested = 1 WHERE session_id = ?', [id])
    held.go()
    const events = await one.events(accepted)
    expect(structure(events).slice(-5)).toEqual([
      'turn:end assistant paused',
      'set_tool_status cancelled',
      'set_status interrupted',
      'chat:end interrupted interrupted',
      'session:updated',
    ])
    expect(await one.sessions.detail(me, id)).toMatchObject({ status: 'interrupted', pending_question: null })
    await expect(one.answer(id, choose(lastCall(events)))).rejects.toMatchObject({ code: 'ask_not_pending' })
  })

  test('[WR-41] while a question waits: it is withdrawn with everything above it, and there is no chat:end', async () => {
    await using rig = await Rig.open()
    const model = byTask({ Hello: [{ calls: [fork('ask')] }], ask: [{ calls: [ask()] }] })
    const one = rig.instance({ model })
    const { session_id, events } = await one.chat('Hello')
    expect(await one.stop(session_id)).toBe(true)
    const since = events.at(-1)!.event_seq
    const told = await one.until({ session_id, since }, ({ type }) => type === 'session:updated')
    expect(inShort(told)).toEqual([
      'set_tool_status cancelled',
      'set_status interrupted',
      'set_tool_status cancelled',
      'set_status interrupted',
      'session:updated',
    ])
    expect(dataOf(told, 'session:updated')).toMatchObject({ status: 'interrupted' })
    expect(await one.sessions.detail(me, session_id)).toMatchObject({ status: 'interrupted', pending_question: null })
    await expect(one.answer(session_id, choose(lastCall(events)))).rejects.toMatchObject({ code: 'ask_not_pending' })
  })

  test('while a sub-agent waits inside a running run: its question is cancelled too', async () => {
    await using rig = await Rig.open()
    const model = byTask({
      Hello: [{ calls: [fork('ask'), fork('work')] }, { text: 'Done' }],
      ask: [{ calls: [ask()] }],
      work: [{ text: 'Working', until: never }],
    })
    const one = rig.instance({ model })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const asked = await one.until(accepted, ({ data }) => data['patch_type'] === 'set_tool_status')
    await one.stop(id)
    await one.events(accepted)
    const turns = await one.messages(id)
    expect(turns.slice(1).map(({ status }) => status)).toEqual(['interrupted', 'interrupted', 'interrupted'])
    expect(turns.flatMap(({ tool_calls }) => tool_calls.map(({ status }) => status))).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    expect(turns[1]!.tool_calls[0]!.pending_question_ref).toBeNull()
    await expect(one.answer(id, choose(lastCall(asked)))).rejects.toMatchObject({ code: 'ask_not_pending' })
    expect(rig.errors).toEqual([])
  })

  test('when nothing runs is nothing; a second one changes nothing', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ text: 'Hi', until: never }, { text: 'Ho' }] })
    const { id } = await one.create()
    expect(await one.stop(id)).toBe(false)
    const accepted = await one.send(id, 'Hello')
    await Promise.all([one.stop(id), one.stop(id)])
    const events = await one.events(accepted)
    expect(inShort(events).filter((line) => line.startsWith('chat:end'))).toHaveLength(1)
    expect(await one.stop(id)).toBe(false)
    expect(dataOf(await one.events(await one.send(id, 'Again')), 'chat:end')).toMatchObject({ status: 'completed' })
  })

  test('[D3] that names a run stops that run only', async () => {
    await using rig = await Rig.open()
    const letGo = Promise.withResolvers<void>()
    const one = rig.instance({ model: [{ text: 'Hi', until: letGo.promise }, { calls: [ask()] }] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    expect(await one.stop(id, 'chat_other')).toBe(false)
    letGo.resolve()
    expect(dataOf(await one.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
    const waiting = await one.send(id, 'Ask me')
    await one.events(waiting)
    expect(await one.stop(id, accepted.run_id)).toBe(false)
    expect(await one.stop(id, waiting.run_id)).toBe(true)
  })

  test('of a session that is not ours is session_not_found', async () => {
    await using rig = await Rig.open()
    const one = rig.instance()
    const { id } = await one.create()
    await expect(one.sessions.stop({ user_id: 'somebody else' }, id)).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })
})
