import { expect, test } from 'vitest'
import { expireDue } from '../../src/sessions/expire-confirmations.ts'
import type { JsonValue, ModelRequest } from '../../src/ports.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, clock, dataOf, holdAt, ids, type Instance, lastCall, me, Rig, structure, type Told } from './rig.ts'

const approve = (question: string) => choose(question, 0)
const page = { status: undefined, limit: 50, offset: 0 }
const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

function world() {
  const ran: JsonValue[] = []
  const slow = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const tools = scriptedTools({
    Bash: { asks: true, run: (input: JsonValue) => (ran.push(input), 'ran') },
    Look: { asks: true, readOnly: true, run: (input: JsonValue) => (ran.push(input), 'looked') },
    Slow: {
      readOnly: true,
      run: async (_input, { signal }) => {
        started.resolve()
        const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        await Promise.race([slow.promise, stopped])
        return { result: 'slow' }
      },
    },
    Write: { run: () => 'wrote' },
  })
  return { ran, tools, go: () => slow.resolve(), started: started.promise }
}

const playing = (tasks: Record<string, readonly Reply[]>) => (request: ModelRequest) =>
  tasks[situation(request).asked]?.[request.messages.filter(({ role }) => role === 'assistant').length] ?? {
    text: 'nothing',
  }

const isQuestion = ({ data }: Told) =>
  data['patch_type'] === 'add_tool_call' && (data['data'] as { tool_name: string }).tool_name === 'AskUserQuestion'

function expire({ journal, runs }: Instance, { engine }: Rig): Promise<number> {
  return expireDue({ engine, clock, ids, journal, tellOwner: (id) => runs.nudge(id) })
}

const calls = async (one: Instance, id: string) =>
  (await one.messages(id)).flatMap(({ tool_calls }) =>
    tool_calls.map(({ tool_name, status, pending_question_ref }) => [
      tool_name,
      status,
      pending_question_ref?.child_tool_call_id ?? null,
    ]),
  )

test('a decision between the pause and the end of the run is carried out', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const held = holdAt('before:C9')
  const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Done' }], tools, at: held.at })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await held.reached
  const shown = await one.until(accepted, isQuestion)
  await one.answer(id, approve(lastCall(shown)))
  await one.until(accepted, ({ data }) => data['patch_type'] === 'set_tool_status')
  held.go()
  const events = await one.events(accepted)
  expect(dataOf(events, 'chat:end').session_status).toBe('completed')
  expect(ran).toEqual([{ command: 'one' }])
})

test('a stop while others work cancels the question with its call', async () => {
  await using rig = await Rig.open()
  const { ran, tools, started } = world()
  const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Slow' }, { name: 'Write' }] }], tools })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await started
  await one.until(accepted, isQuestion)
  await one.stop(id)
  const events = await one.events(accepted)
  expect(await calls(one, id)).toEqual([
    ['Bash', 'cancelled', null],
    ['Slow', 'cancelled', null],
    ['Write', 'cancelled', null],
    ['AskUserQuestion', 'cancelled', null],
  ])
  expect(ran).toEqual([])
  expect((await one.sessions.confirmations(me, page)).items).toMatchObject([{ status: 'withdrawn' }])
  expect(dataOf(events, 'chat:end').status).toBe('interrupted')
})

test('a stop that was stored before anybody was asked wins', async () => {
  await using rig = await Rig.open()
  const { tools } = world()
  const held = holdAt('before:C7')
  const one = rig.instance({ model: [{ calls: [bash('one')] }], tools, at: held.at })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await held.reached
  await rig.sql('UPDATE gates SET stop_requested = 1')
  held.go()
  const events = await one.events(accepted)
  expect(dataOf(events, 'chat:end').status).toBe('interrupted')
  expect(events.filter(isQuestion)).toEqual([])
  expect((await one.sessions.confirmations(me, page)).total).toBe(0)
})

test('a server that stops hands back a run in which one waits and another works', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const forever = new Promise(() => undefined)
  const first = {
    Go: [{ calls: [fork('a'), fork('b')] }],
    a: [{ calls: [bash('one')] }],
    b: [{ text: 'Well then', until: forever }],
  }
  const second = {
    ...first,
    Go: [...first.Go, { text: 'main' }],
    a: [...first.a, { text: 'a done' }],
    b: [{ text: 'b done' }],
  }
  const one = rig.instance({ model: playing(first), tools })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await one.until(accepted, isQuestion)
  await one.until(accepted, ({ data }) => JSON.stringify(data).includes('then'))
  await one.runs[Symbol.asyncDispose]()
  const two = rig.instance({ model: playing(second), tools })
  await two.runs.claimExpired()
  const events = await two.events(accepted)
  await two.events(await two.answer(id, approve(lastCall(events))))
  expect(ran).toEqual([{ command: 'one' }])
  const all = await two.until({ session_id: id, since: 0 }, ({ data }) => data['session_status'] === 'completed')
  const turns = (type: string) => new Set(all.flatMap((event) => (event.type === type ? [event.turn_id] : [])))
  expect(turns('turn:end')).toEqual(turns('turn:start'))
  expect(rig.errors).toEqual([])
})

test('after one of two questions of a sub-agent is answered, its call names the other', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const tasks = {
    Go: [{ calls: [fork('a')] }, { text: 'main' }],
    a: [{ calls: [ask(), bash('one')] }, { text: 'a done' }],
  }
  const one = rig.instance({ model: playing(tasks), tools })
  const { session_id, events } = await one.chat('Go')
  const [agent] = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  const again = await one.events(await one.answer(session_id, approve(agent!.id)))
  expect(dataOf(again, 'chat:end').session_status).toBe('waiting_for_input')
  const [now] = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  expect(now!.pending_question_ref?.child_tool_call_id).toBe(lastCall(events))
  await one.events(await one.answer(session_id, approve(agent!.id)))
  expect(ran).toEqual([{ command: 'one' }])
})

test('read-only calls that ask are asked for one after another', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const one = rig.instance({
    model: [
      {
        calls: [
          { name: 'Look', arguments: { n: 1 } },
          { name: 'Look', arguments: { n: 2 } },
        ],
      },
      { text: 'Done' },
    ],
    tools,
  })
  const { session_id, events } = await one.chat('Go')
  expect(events.filter(isQuestion)).toHaveLength(1)
  const second = await one.events(await one.answer(session_id, approve(lastCall(events))))
  expect(ran).toEqual([{ n: 1 }])
  await one.events(await one.answer(session_id, approve(lastCall(second))))
  expect(ran).toEqual([{ n: 1 }, { n: 2 }])
})

test('an edit that has grown old is asked for again as the model wrote it, once', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const one = rig.instance({ model: [{ calls: [bash('one')] }], tools })
  const { session_id, events } = await one.chat('Go')
  const dead = rig.frozenAt('before:C5', { model: [], tools })
  const accepted = await dead.answer(session_id, { ...approve(lastCall(events)), edited_arguments: { command: 'two' } })
  await dead.frozen
  await rig.sql('UPDATE confirmations SET decided_at = decided_at - 1000000')
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  const again = await two.events(accepted)
  const { items } = await two.sessions.confirmations(me, page)
  expect(items[0]!.digest).toBe(items[1]!.digest)
  const end = await two.events(await two.answer(session_id, approve(lastCall(again))))
  expect(dataOf(end, 'chat:end').session_status).toBe('completed')
  expect(ran).toEqual([{ command: 'one' }])
})

test('of two sub-agents that wait, one expires: the other still waits, and the run goes on with its answer', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const tasks = {
    Go: [{ calls: [fork('x')] }, { text: 'main' }],
    x: [{ calls: [fork('a'), fork('b')] }, { text: 'x done' }],
    a: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'a done' }],
    b: [{ calls: [bash('two')] }, { text: 'b done' }],
  }
  const one = rig.instance({ model: playing(tasks), tools })
  const { session_id } = await one.chat('Go')
  const detail = await one.sessions.detail(me, session_id)
  const dead = detail.pending_question!.tool_call_id
  await rig.sql('UPDATE confirmations SET expires_at = 1 WHERE question_id = ?', [dead])
  await expire(one, rig)
  const left = (await one.sessions.detail(me, session_id)).pending_question!.tool_call_id
  expect(left).not.toBe(dead)
  const refs = (await calls(one, session_id)).filter(([name]) => name === 'Agent')
  expect(refs).toEqual([
    ['Agent', 'awaiting_answer', left],
    ['Agent', 'pending', null],
    ['Agent', 'awaiting_answer', left],
  ])
  const [root] = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  await one.events(await one.answer(session_id, approve(root!.id)))
  expect(ran).toHaveLength(1)
  expect((await one.messages(session_id)).map(({ status }) => status).filter((s) => s !== 'completed')).toEqual([])
})

test('expiry in a run under way takes the question off the calls above it', async () => {
  await using rig = await Rig.open()
  const { ran, tools, go } = world()
  const release = Promise.withResolvers<void>()
  const tasks = {
    Go: [{ calls: [fork('a'), { name: 'Slow' }] }, { text: 'main' }],
    a: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'a done', until: release.promise }],
  }
  const one = rig.instance({ model: playing(tasks), tools })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await one.until(accepted, ({ data }) => JSON.stringify(data).includes('child_tool_call_id'))
  await rig.sql('UPDATE confirmations SET expires_at = 1')
  await expire(one, rig)
  await one.until(accepted, ({ data }) => JSON.stringify(data).includes('a '))
  await one.until(
    accepted,
    ({ type, data }) =>
      type === 'turn:patch' && String((data['data'] as { text_delta?: string }).text_delta).startsWith('a'),
  )
  expect((await calls(one, id)).filter(([name]) => name === 'Agent')).toEqual([['Agent', 'pending', null]])
  release.resolve()
  go()
  const events = await one.events(accepted)
  expect(dataOf(events, 'chat:end').session_status).toBe('completed')
  expect(ran).toEqual([])
})

test('withdrawal closes the question first, then its call, then what came after', async () => {
  await using rig = await Rig.open()
  const { tools } = world()
  const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'ok' }], tools })
  const { session_id, events } = await one.chat('Go')
  const next = await one.events(await one.send(session_id, 'No'))
  const order = next
    .filter(({ data }) => data['patch_type'] === 'tool_result')
    .map(({ data }) => (data['data'] as { tool_call_id: string }).tool_call_id)
  expect(order).toEqual([lastCall(events), lastCall(events, 'Bash'), lastCall(events, 'Write')])
})

test('a tool that went away while its consent was asked for leaves no question behind', async () => {
  await using rig = await Rig.open()
  const { tools } = world()
  const tasks = { Go: [{ calls: [ask(), bash('one')] }, { text: 'main' }] }
  const one = rig.instance({ model: playing(tasks), tools })
  const { session_id } = await one.chat('Go')
  const { pending_question } = await one.sessions.detail(me, session_id)
  const two = rig.instance({ model: playing(tasks), tools: scriptedTools({}) })
  const events = await two.events(await two.answer(session_id, approve(pending_question!.tool_call_id)))
  const open = (await calls(two, session_id)).filter(([, status]) => status === 'awaiting_answer')
  const isWaiting = dataOf(events, 'chat:end').session_status === 'waiting_for_input'
  expect(isWaiting).toBe(open.length > 0)
  expect(structure(events)).toBeDefined()
})

test('a decision, and an expiry, that were stored when their owner died are applied by whoever carries on', async () => {
  for (const what of ['approve', 'expire'] as const) {
    await using rig = await Rig.open()
    const { ran, tools, started, go } = world()
    const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Slow' }] }], tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Go')
    await started
    const shown = await one.until(accepted, isQuestion)
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    if (what === 'approve') await two.answer(id, approve(lastCall(shown)))
    else {
      await rig.sql('UPDATE confirmations SET expires_at = 1')
      await expire(two, rig)
    }
    expect(await rig.sql('SELECT id FROM commands WHERE applied_at IS NULL')).toHaveLength(1)
    await rig.takeOver(id, two)
    go()
    await two.events(accepted)
    expect(ran).toEqual(what === 'approve' ? [{ command: 'one' }] : [])
    expect((await calls(two, id)).filter(([, status]) => status === 'awaiting_answer')).toEqual([])
  }
})

test('an answer that names the risky call is none, and words instead of a choice refuse it', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'ok' }], tools })
  const { session_id, events } = await one.chat('Go')
  await expect(one.answer(session_id, approve(lastCall(events, 'Bash')))).rejects.toMatchObject({
    code: 'ask_not_pending',
  })
  await one.events(
    await one.answer(session_id, { tool_call_id: lastCall(events), selections: {}, custom: { '0': 'not today' } }),
  )
  expect(ran).toEqual([])
  expect(one.model.requests.at(-1)).toContain('rejected by the user: not today')
})

test('edited arguments with the answer to an ordinary question change nothing', async () => {
  await using rig = await Rig.open()
  const { tools } = world()
  const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'ok' }], tools })
  const { session_id, events } = await one.chat('Go')
  const end = await one.events(
    await one.answer(session_id, { ...approve(lastCall(events)), edited_arguments: { a: 1 } }),
  )
  expect(dataOf(end, 'chat:end').session_status).toBe('completed')
})

test('_meta of a JSON text stays out of the model also when the arguments were changed', async () => {
  await using rig = await Rig.open()
  const text = JSON.stringify({ ok: 1, _meta: { ui: { resourceHTML: '<p>secret card</p>' } } })
  const tools = scriptedTools({ Bash: { asks: true, run: () => text } })
  const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'ok' }], tools })
  const { session_id, events } = await one.chat('Go')
  await one.events(await one.answer(session_id, { ...approve(lastCall(events)), edited_arguments: { command: 'two' } }))
  expect(one.model.requests.at(-1)).not.toContain('secret card')
  expect(one.model.requests.at(-1)).toContain('two')
})

test('a decision that is applied before anybody waits for it is carried out in its place', async () => {
  await using rig = await Rig.open()
  const order: string[] = []
  const tools = scriptedTools({
    Bash: { asks: true, run: () => String(order.push('Bash')) },
    Write: { run: () => String(order.push('Write')) },
  })
  const held = holdAt('after:C7')
  const one = rig.instance({
    model: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'Done' }],
    tools,
    at: held.at,
  })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  await held.reached
  await one.answer(id, approve(lastCall(await one.until(accepted, isQuestion))))
  await one.until(accepted, ({ data }) => data['patch_type'] === 'set_tool_status')
  held.go()
  const events = await one.events(accepted)
  expect(dataOf(events, 'chat:end').session_status).toBe('completed')
  expect(order).toEqual(['Bash', 'Write'])
})

/** An engine that goes through every transaction twice, as PostgreSQL may. */
function twice(engine: Rig['engine']): Rig['engine'] {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'write')
        return async (work: Parameters<typeof engine.write>[0], options: object) => {
          const undone = new Error('once more')
          await target
            .write(function* () {
              yield* work()
              throw undone
            })
            .catch((error: unknown) => {
              if (error !== undone) throw error
            })
          return target.write(work, options)
        }
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

test('a transaction that is gone through twice asks, decides and runs once', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const again = new Rig(rig.directory, twice(rig.engine))
  const one = again.instance({ model: [{ calls: [{ name: 'Write' }, bash('one')] }, { text: 'Done' }], tools })
  const { session_id, events } = await one.chat('Go')
  const { total } = await one.sessions.confirmations(me, page)
  expect(total).toBe(1)
  expect(events.filter(isQuestion)).toHaveLength(1)
  const end = await one.events(await one.answer(session_id, approve(lastCall(events))))
  expect(structure(end).filter((l) => l.startsWith('chat:end'))).toHaveLength(1)
  expect(ran).toHaveLength(1)
  const turns = await one.messages(session_id)
  const all = await one.until({ session_id, since: 0 }, ({ data }) => data['session_status'] === 'completed')
  const seqs = all
    .filter(({ type, turn_id }) => type === 'turn:patch' && turn_id === turns[1]!.turn_id)
    .map(({ data }) => data['sequence'])
  expect(seqs).toEqual(seqs.map((_, i) => i + 1))
  await one.runs[Symbol.asyncDispose]()
})

test('headless, a risky call of a sub-agent ends the whole run', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const tasks = {
    Go: [{ calls: [fork('a'), { name: 'Write' }, fork('b')] }, { text: 'main' }],
    a: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'a done' }],
    b: [{ calls: [{ name: 'Write' }] }, { text: 'b done' }],
  }
  const one = rig.instance({ model: playing(tasks), tools })
  const { session_id, events } = await one.chat('Go', { headless: true })
  expect(dataOf(events, 'chat:end')).toMatchObject({
    status: 'failed',
    finish_reason: 'tool_error',
    error: { code: 'confirmation_required', tool_name: 'Bash' },
  })
  expect(ran).toEqual([])
  expect((await calls(one, session_id)).filter(([, s]) => s === 'pending' || s === 'awaiting_answer')).toEqual([])
  expect((await one.messages(session_id)).filter(({ status }) => status === 'streaming')).toEqual([])
})

test('a run that owes a structured result hands it in after the consent', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = world()
  const one = rig.instance({
    model: [{ calls: [bash('one'), { name: 'submit_result', arguments: { n: 1 } }] }, { text: 'no' }],
    tools,
  })
  const output_schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const { session_id, events } = await one.chat('Go', { output_schema })
  expect(dataOf(events, 'chat:end').session_status).toBe('waiting_for_input')
  const end = await one.events(await one.answer(session_id, approve(lastCall(events))))
  expect(ran).toHaveLength(1)
  expect(dataOf(end, 'chat:end')).toMatchObject({ status: 'completed', result: { output: { n: 1 } } })
})

test('[R-34] the id of an Agent call stands for the confirmation that its own sub-agent asks for', async () => {
  await using rig = await Rig.open()
  const { tools, ran } = world()
  const tasks = {
    Go: [{ calls: [fork('a'), fork('b')] }, { text: 'main' }],
    a: [{ calls: [bash('one')] }, { text: 'a done' }],
    b: [{ calls: [bash('two')] }, { text: 'b done' }],
  }
  const one = rig.instance({ model: playing(tasks), tools })
  const { session_id } = await one.chat('Go')
  const agents = (await one.messages(session_id))
    .flatMap(({ tool_calls }) => tool_calls)
    .filter(({ tool_name }) => tool_name === 'Agent')
  const first = await one.events(await one.answer(session_id, approve(agents[1]!.id)))
  expect(ran).toEqual([{ command: 'two' }])
  expect(dataOf(first, 'chat:end').session_status).toBe('waiting_for_input')
  await one.events(await one.answer(session_id, choose(agents[0]!.id, 1)))
  expect(ran).toEqual([{ command: 'two' }])
  expect((await one.messages(session_id)).filter(({ status }) => status !== 'completed')).toEqual([])
})
