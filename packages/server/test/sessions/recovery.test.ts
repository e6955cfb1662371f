import { emptyProjection, isEventName, reduce, type SessionEvent } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import type { PointHook } from '../../src/runs/points.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, dataOf, holdAt, inShort, type Instance, lastCall, me, Rig, structure } from './rig.ts'

const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length
const byTask = (tasks: Record<string, readonly Reply[]>) => (request: ModelRequest) =>
  tasks[situation(request).asked]?.[rounds(request)] ?? { text: 'nothing left' }

/** A session whose owner froze at a point, taken over by another instance. */
async function recovered(rig: Rig, dead: Instance & { frozen: Promise<void> }, by: Instance) {
  const { id } = await dead.create()
  const accepted = await dead.send(id, 'Hello')
  await dead.frozen
  await rig.takeOver(id, by)
  return { ...accepted, events: await by.events(accepted) }
}

describe('[D3] after a take-over', () => {
  test('an answer that broke off is marked and left out of the context; the model is asked again', async () => {
    await using rig = await Rig.open()
    const broken: Reply = { text: 'Half an', until: new Promise(() => undefined) }
    const dead = rig.frozenAt('after:C3', { model: [broken] })
    const two = rig.instance({ model: [{ text: 'A whole answer' }] })
    const { session_id, events } = await recovered(rig, dead, two)
    expect(structure(events)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
      'notification run:recovered',
      'turn:end assistant interrupted',
      'turn:start assistant streaming',
      'turn:end assistant completed',
      'chat:end completed completed',
      'session:updated',
    ])
    expect((await two.messages(session_id))[1]).toMatchObject({
      status: 'interrupted',
      failure_reason: 'server_stopped',
    })
    expect(two.model.requests[0]).not.toContain('Half')
    await two.events(await two.send(session_id, 'Again'))
    expect(two.model.requests[1]).not.toContain('Half')
  })

  test.each([
    ['never', 'after:C5', 'error', 'outcome unknown: the server stopped while this was running', 0],
    ['safe', 'after:C5', 'done', 'ran', 1],
    ['never', 'before:C5', 'done', 'ran', 1],
    ['never', 'before:C6', 'error', 'outcome unknown: the server stopped while this was running', 0],
    ['never', 'after:C6', 'done', 'ran', 0],
  ] as const)('a %s call whose owner stopped %s: %s, %s', async (...given) => {
    const [replay, point, status, result, runs] = given
    await using rig = await Rig.open()
    let ranAgain = 0
    const tools = (onRun: () => void) =>
      scriptedTools({
        Bash: {
          replay,
          run: () => {
            onRun()
            return 'ran'
          },
        },
      })
    const script: Reply[] = [{ text: 'Well', calls: [{ name: 'Bash', id: 'p1' }] }]
    const dead = rig.frozenAt(point, { model: script, tools: tools(() => undefined) })
    const two = rig.instance({
      model: [{ text: 'Done' }],
      tools: tools(() => {
        ranAgain += 1
      }),
    })
    const { session_id, events } = await recovered(rig, dead, two)
    expect((await two.messages(session_id))[1]!.tool_calls).toMatchObject([{ status, result }])
    expect(ranAgain).toBe(runs)
    expect(inShort(events)).toContain(`tool_result ${status}`)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed' })
  })

  test('a safe call is begun three times at most', async () => {
    await using rig = await Rig.open()
    const options = {
      model: [{ calls: [{ name: 'Read' }] }],
      tools: scriptedTools({ Read: { replay: 'safe' } }),
    } as const
    const dead = [1, 2, 3].map(() => rig.frozenAt('after:C5', options))
    const { id } = await dead[0]!.create()
    const accepted = await dead[0]!.send(id, 'Hello')
    await dead[0]!.frozen
    for (const next of dead.slice(1)) {
      await rig.takeOver(id, next)
      await next.frozen
    }
    const last = rig.instance({ model: [{ text: 'Done' }], tools: options.tools })
    await rig.takeOver(id, last)
    await last.events(accepted)
    expect((await last.messages(id))[1]!.tool_calls).toMatchObject([
      { status: 'error', result: expect.stringMatching(/^outcome unknown/) },
    ])
  })

  test('a run whose last turn is stored ends without asking the model again', async () => {
    await using rig = await Rig.open()
    const dead = rig.frozenAt('before:C9', { model: [{ text: 'That is all' }] })
    const two = rig.instance({ model: [{ text: 'never asked' }] })
    const { session_id, events } = await recovered(rig, dead, two)
    expect(two.model.requests).toEqual([])
    expect(structure(events).slice(-3)).toEqual([
      'notification run:recovered',
      'chat:end completed completed',
      'session:updated',
    ])
    expect(await two.messages(session_id)).toHaveLength(2)
  })

  test('a structured result that was accepted is the result', async () => {
    await using rig = await Rig.open()
    const dead = rig.frozenAt('before:C9', { model: [{ calls: [{ name: 'submit_result', arguments: { n: 1 } }] }] })
    const two = rig.instance({ model: [] })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello', { output_schema: { type: 'object', required: ['n'] } })
    await dead.frozen
    await rig.takeOver(id, two)
    expect(dataOf(await two.events(accepted), 'chat:end')).toMatchObject({
      status: 'completed',
      result: { output: { n: 1 } },
    })
  })

  test('the usage of the turn that was open counts', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const dead = rig.frozenAt('after:C4', { model: [{ calls: [{ name: 'Read' }] }], tools })
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    const { session_id, events } = await recovered(rig, dead, two)
    expect((await two.messages(session_id))[1]!.usage).toEqual({ input_tokens: 1, output_tokens: 1 })
    expect(dataOf(events, 'chat:end').usage).toEqual({ input_tokens: 2, output_tokens: 2 })
  })

  test('a message that was added while a turn was open reaches the model', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const dead = rig.frozenAt('before:C6', { model: [{ calls: [{ name: 'Read' }] }], tools })
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    await dead.frozen
    await dead.append(id, 'And hurry')
    await dead.until(accepted, ({ type, data }) => type === 'turn:end' && JSON.stringify(data).includes('And hurry'))
    await rig.takeOver(id, two)
    await two.events(accepted)
    const { messages } = JSON.parse(two.model.requests[0]!) as { messages: { role: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  test('a message that was added while the model was being asked is answered, after what the model said without it', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const asking = holdAt('before:C2b', 2)
    const ending = holdAt('before:C2a', 2)
    const at: PointHook = async (point, stored) => {
      await asking.at(point, stored)
      await ending.at(point, stored)
    }
    const one = rig.instance({ model: [{ calls: [{ name: 'Read' }] }, { text: 'Nearly' }], tools, at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await asking.reached
    await one.append(id, 'And hurry')
    await one.until(accepted, ({ type, data }) => type === 'turn:end' && JSON.stringify(data).includes('And hurry'))
    asking.go()
    await ending.reached
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await rig.takeOver(id, two)
    await two.events(accepted)
    ending.go()
    const { messages } = JSON.parse(two.model.requests[0]!) as { messages: { role: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test('what was asked while nobody owned the run is applied: an added message, and a stop', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const busy = rig.frozenAt('before:C5', { model: [{ calls: [{ name: 'Read' }] }], tools })
    const { id } = await busy.create()
    const accepted = await busy.send(id, 'Hello')
    await busy.frozen
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await two.append(id, 'And hurry')
    await rig.takeOver(id, two)
    const events = await two.events(accepted)
    expect(two.model.requests[0]).toContain('And hurry')
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed' })

    const again = rig.frozenAt('after:C3', { model: [{ text: 'Half', until: new Promise(() => undefined) }] })
    const stopped = await again.send(id, 'Once more')
    await again.frozen
    const three = rig.instance({ model: [{ text: 'never said' }] })
    await three.stop(id)
    await rig.takeOver(id, three)
    expect(dataOf(await three.events(stopped), 'chat:end')).toMatchObject({ status: 'interrupted' })
    expect(JSON.stringify(await three.messages(id))).not.toContain('never said')
  })

  test('[DC4] the fourth one without progress gives up: everything open is closed, the run is failed', async () => {
    await using rig = await Rig.open()
    const half: Reply = { text: 'Half', until: new Promise(() => undefined) }
    const dead = [1, 2, 3, 4].map(() => rig.frozenAt('after:C3', { model: [half] }))
    const { id } = await dead[0]!.create()
    const accepted = await dead[0]!.send(id, 'Hello')
    await dead[0]!.frozen
    for (const next of dead.slice(1)) {
      await rig.takeOver(id, next)
      await next.frozen
    }
    const last = rig.instance({ model: [{ text: 'never asked' }] })
    await rig.takeOver(id, last)
    const events = await last.events(accepted)
    expect(structure(events).slice(-6)).toEqual([
      'turn:end assistant interrupted',
      'turn:start assistant streaming',
      'turn:end assistant failed',
      'system:error recovery_failed',
      'chat:end failed failed',
      'session:updated',
    ])
    expect(last.model.requests).toEqual([])
    expect((await last.messages(id)).map(({ status }) => status)).not.toContain('streaming')
  })

  test.each(['before:C9', 'after:C9'] as const)(
    '[W10.9] an owner lost %s of a failed run: one turn tells why',
    async (point) => {
      await using rig = await Rig.open()
      const failing = { model: () => ({ failure: { message: 'no key' } }) }
      const one = rig.frozenAt(point, failing)
      const { id } = await one.create()
      const accepted = await one.send(id, 'Hello')
      await one.frozen
      const two = rig.instance(failing)
      await rig.takeOver(id, two)
      await two.events(accepted)
      expect((await two.messages(id)).map(({ role, status }) => `${role} ${status}`)).toEqual([
        'user completed',
        'assistant failed',
      ])
    },
  )

  test('giving up closes turns that waited, too: nothing is left to answer', async () => {
    await using rig = await Rig.open()
    const model = byTask({
      Hello: [{ calls: [fork('ask'), fork('dig')] }],
      ask: [{ calls: [ask()] }],
      dig: [{ calls: [{ name: 'Read' }] }],
    })
    const tools = scriptedTools({ Read: {} })
    const dead = rig.frozenAt('before:C5', { model, tools })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    const asked = await dead.until(accepted, ({ data }) => data['patch_type'] === 'set_tool_status')
    await dead.frozen
    await rig.sql('UPDATE runs SET takeovers = 3')
    const two = rig.instance({ model, tools })
    await rig.takeOver(id, two)
    const events = await two.events(accepted)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', error: { code: 'recovery_failed' } })
    const turns = await two.messages(id)
    expect(turns.slice(1).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
    expect(await two.sessions.detail(me, id)).toMatchObject({ status: 'failed', pending_question: null })
    await expect(two.answer(id, choose(lastCall(asked)))).rejects.toMatchObject({ code: 'ask_not_pending' })
  })

  test('a run that cannot even be prepared is given up like any other', async () => {
    await using rig = await Rig.open()
    const dead = rig.frozenAt('after:C3', { model: [{ text: 'Half', until: new Promise(() => undefined) }] })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    await dead.frozen
    await rig.sql('UPDATE runs SET takeovers = 3')
    const two = rig.instance({
      tools: () => {
        throw new Error('no tools today')
      },
    })
    await rig.takeOver(id, two)
    expect(dataOf(await two.events(accepted), 'chat:end')).toMatchObject({ error: { code: 'recovery_failed' } })
  })

  test('progress makes the count start again', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const model: Reply[] = [{ calls: [{ name: 'Read' }] }]
    const dead = rig.frozenAt('after:C3', { model: [{ text: 'Half', until: new Promise(() => undefined) }] })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    await dead.frozen
    const next = rig.frozenAt('after:C4', { model, tools })
    await rig.takeOver(id, next)
    await next.frozen
    expect(await rig.engine.select('SELECT takeovers FROM runs', [])).toEqual([{ takeovers: 0 }])
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await rig.takeOver(id, two)
    await two.events(accepted)
  })

  test('handing back in good order does not count, and the next instance goes on', async () => {
    await using rig = await Rig.open()
    const held = rig.frozenAt('before:C6', {
      model: [{ calls: [{ name: 'Read' }] }],
      tools: scriptedTools({ Read: {} }),
    })
    const { id } = await held.create()
    const accepted = await held.send(id, 'Hello')
    await held.frozen
    const closed = held.runs[Symbol.asyncDispose]()
    rig.wakeAll()
    await closed
    expect(await rig.engine.select('SELECT takeovers FROM runs', [])).toEqual([{ takeovers: -1 }])
    const two = rig.instance({ model: [{ text: 'Done' }], tools: scriptedTools({ Read: {} }) })
    await two.runs.claimExpired()
    const events = await two.events(accepted)
    expect(await rig.engine.select('SELECT takeovers FROM runs', [])).toEqual([{ takeovers: 0 }])
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed' })
    expect(two.model.requests).toHaveLength(1)
  })

  test('a run whose model is gone ends instead of running for ever', async () => {
    await using rig = await Rig.open()
    const dead = rig.frozenAt('after:C3', { model: [{ text: 'Half', until: new Promise(() => undefined) }] })
    const two = rig.instance({ models: ['another'] })
    const { events } = await recovered(rig, dead, two)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', error: { code: 'model_not_available' } })
  })

  test('the old owner that wakes writes nothing, and its tool never begins', async () => {
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
    const dead = rig.frozenAt('before:C5', { model: [{ calls: [{ name: 'Write' }] }], tools })
    const two = rig.instance({ model: [{ text: 'Done' }], tools: scriptedTools({ Write: {} }) })
    const { session_id, since } = await recovered(rig, dead, two)
    const before = await rig.engine.select('SELECT event_seq FROM events WHERE session_id = ?', [session_id])
    rig.wakeAll()
    await dead.runs[Symbol.asyncDispose]()
    expect(await rig.engine.select('SELECT event_seq FROM events WHERE session_id = ?', [session_id])).toEqual(before)
    expect(hasRun).toBe(false)
    expect(since).toBe(0)
    expect(rig.errors).toEqual([])
  })

  test('a waiting sub-agent keeps waiting while its siblings go on; its answer resumes it', async () => {
    await using rig = await Rig.open()
    const model = byTask({
      Hello: [{ calls: [fork('ask'), fork('dig')] }, { text: 'Done' }],
      ask: [{ calls: [ask()] }, { text: 'Asked' }],
      dig: [{ calls: [{ name: 'Read' }] }, { text: 'Gold' }],
    })
    const tools = scriptedTools({ Read: { replay: 'safe' } })
    const dead = rig.frozenAt('before:C5', { model, tools })
    const two = rig.instance({ model, tools })
    const { session_id, events } = await recovered(rig, dead, two)
    expect(dataOf(events, 'chat:end')).toMatchObject({ session_status: 'waiting_for_input' })
    const resumed = await two.events(await two.answer(session_id, choose(lastCall(events))))
    expect(dataOf(resumed, 'chat:end')).toMatchObject({ session_status: 'completed' })
    expect((await two.messages(session_id))[1]!.tool_calls).toMatchObject([{ result: 'Asked' }, { result: 'Gold' }])
    expect(rig.errors).toEqual([])
  })

  test('a sub-agent cut off in its first turn keeps its loop, also through a second take-over', async () => {
    await using rig = await Rig.open()
    const cut = byTask({
      Hello: [{ calls: [fork('dig')] }],
      dig: [{ text: 'Half', until: new Promise(() => undefined) }],
    })
    const whole = byTask({
      Hello: [{ calls: [fork('dig')] }, { text: 'Done' }],
      dig: [{ calls: [{ name: 'Read' }] }, { text: 'Gold' }],
    })
    const tools = scriptedTools({ Read: {} })
    const dead = rig.frozenAt('after:C3', { model: cut, tools })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    await dead.frozen
    const next = rig.frozenAt('after:C6', { model: whole, tools })
    await rig.takeOver(id, next)
    await next.frozen
    const last = rig.instance({ model: whole, tools })
    await rig.takeOver(id, last)
    await last.events(accepted)
    const turns = await last.messages(id)
    expect(new Set(turns.filter(({ loop_id }) => loop_id !== 'root').map(({ loop_id }) => loop_id)).size).toBe(1)
    expect(turns.map(({ status }) => status)).not.toContain('streaming')
    expect(turns[1]!.tool_calls).toMatchObject([{ status: 'done', result: 'Gold' }])
  })
})

describe('[D3] wherever an owner stops', () => {
  const model = byTask({
    Hello: [
      { thinking: 'Hm', text: 'First', calls: [{ name: 'Write' }, { name: 'Read' }, fork('dig')] },
      { text: 'And then', calls: [{ name: 'Write' }] },
      { text: 'Done' },
    ],
    dig: [{ text: 'Digging', calls: [{ name: 'Write' }] }, { text: 'Gold' }],
  })

  test(
    'another one brings the run to the same end: told once, nothing doubled, nothing left open',
    { timeout: 120_000 },
    async () => {
      let points = 0
      for (let cut = 1; cut === 1 || cut <= points; cut++) {
        await using rig = await Rig.open(':memory:')
        const begun = new Map<string, number>()
        const counted = (name: string) => ({
          run: (_input: unknown, { tool_call_id }: { tool_call_id: string }) => {
            begun.set(`${name} ${tool_call_id}`, (begun.get(`${name} ${tool_call_id}`) ?? 0) + 1)
            return name
          },
        })
        const tools = scriptedTools({
          Write: { replay: 'never', ...counted('Write') },
          Read: { replay: 'safe', readOnly: true, ...counted('Read') },
        })
        const frozen = Promise.withResolvers<void>()
        const wake = Promise.withResolvers<void>()
        let passed = 0
        const at: PointHook = async (_point, stored) => {
          if (++passed !== cut) return
          await stored?.()
          frozen.resolve()
          await wake.promise
        }
        const one = rig.instance({ model, tools, at })
        const two = rig.instance({ model, tools })
        const { id } = await one.create()
        // The first two points are those of the acceptance itself.
        const sent = one.send(id, 'Hello')
        const hasFrozen = await Promise.race([
          frozen.promise.then(() => true),
          sent.then((accepted) => one.events(accepted)).then(() => false),
        ])
        points = Math.max(points, passed + (hasFrozen ? 1 : 0))
        if (!hasFrozen) break
        if (cut > 2) await rig.takeOver(id, two)
        else wake.resolve()
        const accepted = await sent
        const events = await two.events(accepted)
        wake.resolve()
        await one.runs[Symbol.asyncDispose]()

        const lines = inShort(events)
        const story = `cut at ${cut}: ${lines.join(' | ')}`
        expect(
          lines.filter((line) => line === 'chat:start' || line.startsWith('chat:end')),
          story,
        ).toEqual(['chat:start', 'chat:end completed completed'])
        for (const [call, times] of begun) if (call.startsWith('Write')) expect(times, story).toBe(1)
        const turns = await two.messages(id)
        expect(
          turns.filter(({ status }) => status === 'streaming' || status === 'paused'),
          story,
        ).toEqual([])
        expect(turns.at(-1), story).toMatchObject({ role: 'assistant', status: 'completed' })
        for (const { tool_calls } of turns)
          for (const { status, result } of tool_calls)
            if (status !== 'done') expect(result, story).toMatch(/^outcome unknown/)
        // What clients fold from the events is what history says.
        const folded = events.reduce(
          (state, { type, data, session_id, event_seq }) =>
            isEventName(type)
              ? reduce(state, { name: type, payload: { ...data, session_id, event_seq } } as SessionEvent)
              : state,
          emptyProjection,
        )
        expect(folded.needsResync, story).toBe(false)
        expect(folded.turns, story).toEqual(turns)
        expect(rig.errors, story).toEqual([])
      }
      expect(points).toBeGreaterThan(30)
    },
  )
})
