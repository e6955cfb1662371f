import { describe, expect, test } from 'vitest'
import { expireDue } from '../../src/runs/expire-confirmations.ts'
import type { JsonValue } from '../../src/ports.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import type { ModelRequest } from '../../src/ports.ts'
import { choose, clock, dataOf, holdAt, ids, type Instance, lastCall, me, Rig, structure, type Told } from './rig.ts'

const approve = (question: string) => choose(question, 0)
const reject = (question: string) => choose(question, 1)

/** A tool that asks, and what it was run with. */
function risky(name = 'Bash') {
  const ran: JsonValue[] = []
  const tool = {
    asks: true,
    run: (input: JsonValue) => {
      ran.push(input)
      return 'ran'
    },
  }
  return { ran, tools: scriptedTools({ [name]: tool, Read: { readOnly: true }, Write: { run: () => 'wrote' } }) }
}

const bash = (command: string, id?: string) => ({ name: 'Bash', arguments: { command }, ...(id && { id }) })

describe('a call that needs consent', () => {
  test('[D5] is shown as a question in the same turn; approved, it runs as it was stored', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ text: 'Well', calls: [bash('rm -r build')] }, { text: 'Done' }], tools })
    const { session_id, events } = await one.chat('Clean up')
    expect(structure(events).slice(3)).toEqual([
      'turn:start assistant streaming',
      'add_tool_call Bash awaiting_answer',
      'add_tool_call AskUserQuestion awaiting_answer',
      'turn:end assistant paused',
      'chat:end completed waiting_for_input',
      'session:updated',
    ])
    expect(ran).toEqual([])
    const [pending] = (await one.sessions.confirmations(me, page)).items
    expect(dataOf(events, 'chat:end').pause_tool_data).toMatchObject({
      tool_call_id: lastCall(events),
      arguments: {
        source_loop: null,
        questions: [{ options: [{ label: 'Approve' }, { label: 'Reject' }] }],
        confirmation: {
          id: pending!.id,
          tool_call_id: pending!.tool_call_id,
          tool_name: 'Bash',
          arguments: { command: 'rm -r build' },
          risk: 'medium',
          preview: 'rm -r build',
          digest: pending!.digest,
          expires_at: pending!.expires_at,
        },
      },
    })

    const resumed = await one.events(await one.answer(session_id, approve(lastCall(events))))
    expect(structure(resumed)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'tool_result done',
      'set_tool_status pending',
      'tool_result done',
      'set_status completed',
      'turn:start assistant streaming',
      'turn:end assistant completed',
      'chat:end completed completed',
      'session:updated',
    ])
    expect(ran).toEqual([{ command: 'rm -r build' }])
    expect((await one.sessions.confirmations(me, page)).items).toMatchObject([
      { id: pending!.id, status: 'approved', decided_by: me.user_id },
    ])
    expect(await auditOf(rig)).toEqual(['confirmation.request', 'confirmation.approve', 'tool.run'])
    expect(rig.errors).toEqual([])
  })

  test('the model never sees the question, only its own calls and their results', async () => {
    await using rig = await Rig.open()
    const { tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('ls')] }, { text: 'Done' }, { text: 'Again' }], tools })
    const { session_id, events } = await one.chat('Look')
    await one.events(await one.answer(session_id, approve(lastCall(events))))
    await one.events(await one.send(session_id, 'And now?'))
    for (const request of one.model.requests) expect(request).not.toContain('confirmation')
    expect(one.model.requests.at(-1)).not.toContain('"name":"AskUserQuestion","arguments"')
    expect(one.model.requests.at(-1)).toContain('"text":"ran"')
  })

  test('rejected: it never runs, later calls of the answer neither, and the model goes on', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const calls = [{ name: 'Read' }, bash('one'), { name: 'Write' }, bash('two')]
    const one = rig.instance({ model: [{ calls }, { text: 'As you like' }], tools })
    const { session_id, events } = await one.chat('Go')
    await one.events(await one.answer(session_id, reject(lastCall(events))))
    expect(ran).toEqual([])
    const [, turn] = await one.messages(session_id)
    expect(turn!.tool_calls.map(({ tool_name, status, result }) => [tool_name, status, result])).toEqual([
      ['Read', 'done', 'Read'],
      ['Bash', 'cancelled', 'rejected by the user'],
      ['Write', 'cancelled', 'not run: an earlier call of this answer was not allowed'],
      ['Bash', 'cancelled', 'not run: an earlier call of this answer was not allowed'],
      ['AskUserQuestion', 'done', expect.anything()],
    ])
    expect(turn!.status).toBe('completed')
    expect((await one.messages(session_id)).at(-1)).toMatchObject({ role: 'assistant', status: 'completed' })
  })

  test('several risky calls in one answer are asked for one after another', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one'), bash('two')] }, { text: 'Done' }], tools })
    const { session_id, events } = await one.chat('Go')
    const second = await one.events(await one.answer(session_id, approve(lastCall(events))))
    expect(ran).toEqual([{ command: 'one' }])
    expect(dataOf(second, 'chat:end').session_status).toBe('waiting_for_input')
    await one.events(await one.answer(session_id, approve(lastCall(second))))
    expect(ran).toEqual([{ command: 'one' }, { command: 'two' }])
  })

  test('edited arguments run instead; both versions are kept, and the model is told', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('rm -rf /')] }, { text: 'Done' }], tools })
    const { session_id, events } = await one.chat('Go')
    const answer = { ...approve(lastCall(events)), edited_arguments: { command: 'rm -r build' } }
    await one.events(await one.answer(session_id, answer))
    expect(ran).toEqual([{ command: 'rm -r build' }])
    expect((await one.sessions.confirmations(me, page)).items).toMatchObject([
      { arguments: { command: 'rm -rf /' }, edited_arguments: { command: 'rm -r build' } },
    ])
    expect(one.model.requests.at(-1)).toContain('The user changed the arguments to')
  })

  test('an edit that is not allowed is refused, and the confirmation stays pending', async () => {
    await using rig = await Rig.open()
    const denies = (input: JsonValue) => JSON.stringify(input).includes('/etc')
    const tools = scriptedTools({ Bash: { asks: true, denies } })
    const one = rig.instance({ model: [{ calls: [bash('ls')] }, { text: 'Done' }], tools })
    const { session_id, events } = await one.chat('Go')
    const answer = { ...approve(lastCall(events)), edited_arguments: { command: 'cat /etc/shadow' } }
    await expect(one.answer(session_id, answer)).rejects.toMatchObject({ code: 'invalid_payload' })
    expect((await one.sessions.confirmations(me, page)).items).toMatchObject([{ status: 'pending' }])
    await one.events(await one.answer(session_id, approve(lastCall(events))))
  })

  test('an ordinary message withdraws it: the call never runs, the message does', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Sure' }], tools })
    const { session_id, events } = await one.chat('Go')
    await one.events(await one.send(session_id, 'Forget it'))
    expect(ran).toEqual([])
    expect((await one.sessions.confirmations(me, page)).items).toMatchObject([{ status: 'withdrawn' }])
    const [item] = (await one.sessions.confirmations(me, page)).items
    await expect(one.sessions.decide(me, item!.id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'already_decided',
      details: { decision: 'withdrawn', decided_by: me.user_id },
    })
    await expect(one.answer(session_id, approve(lastCall(events)))).rejects.toMatchObject({ code: 'ask_not_pending' })
  })

  test('a stop while it waits withdraws it', async () => {
    await using rig = await Rig.open()
    const { tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }], tools })
    const { session_id } = await one.chat('Go')
    expect(await one.stop(session_id)).toBe(true)
    expect((await one.sessions.confirmations(me, page)).items).toMatchObject([{ status: 'withdrawn' }])
  })

  test('by REST: decided once, a second decision gets the first one told', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Done' }], tools })
    const { session_id } = await one.chat('Go')
    const [item] = (await one.sessions.confirmations(me, page)).items
    await expect(one.sessions.decide({ user_id: 'user_2' }, item!.id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const decided = await one.sessions.decide(me, item!.id, { decision: 'approve' })
    expect(decided).toMatchObject({ id: item!.id, status: 'approved', decided_by: me.user_id })
    await expect(one.sessions.decide(me, item!.id, { decision: 'reject' })).rejects.toMatchObject({
      code: 'already_decided',
      details: { decision: 'approved', decided_by: me.user_id, decided_at: decided.decided_at },
    })
    await ended(one, session_id)
    expect(ran).toEqual([{ command: 'one' }])
  })

  test('a restart while it waits changes nothing: another instance runs what was approved', async () => {
    await using rig = await Rig.open()
    const first = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }], tools: first.tools })
    const { session_id, events } = await one.chat('Go')
    const second = risky()
    const two = rig.instance({ model: [{ text: 'Done' }], tools: second.tools })
    await two.events(await two.answer(session_id, approve(lastCall(events))))
    expect([first.ran, second.ran]).toEqual([[], [{ command: 'one' }]])
  })

  test.each([
    ['before:C7', 'asked again by whoever carries on'],
    ['after:C7', 'still asked'],
  ] as const)('a crash %s: the call is %s, once', async (point, _what) => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const dead = rig.frozenAt(point, { model: [{ calls: [bash('one')] }], tools })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Go')
    await dead.frozen
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await rig.takeOver(id, two)
    const events = await two.events(accepted)
    expect(dataOf(events, 'chat:end').session_status).toBe('waiting_for_input')
    expect((await two.sessions.confirmations(me, page)).total).toBe(1)
    await two.events(await two.answer(id, approve(lastCall(events))))
    expect(ran).toEqual([{ command: 'one' }])
  })

  test('a crash after the decision: whoever carries on runs it, once', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }], tools })
    const { session_id, events } = await one.chat('Go')
    const dead = rig.frozenAt('before:C5', { model: [], tools })
    const accepted = await dead.answer(session_id, approve(lastCall(events)))
    await dead.frozen
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await rig.takeOver(session_id, two)
    await two.events(accepted)
    expect(ran).toEqual([{ command: 'one' }])
  })

  test('a decision that has grown old is asked for again', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Done' }], tools })
    const { session_id, events } = await one.chat('Go')
    const dead = rig.frozenAt('before:C5', { model: [], tools })
    const accepted = await dead.answer(session_id, approve(lastCall(events)))
    await dead.frozen
    await rig.sql('UPDATE confirmations SET decided_at = decided_at - 1000000')
    const two = rig.instance({ model: [{ text: 'Done' }], tools })
    await rig.takeOver(session_id, two)
    const again = await two.events(accepted)
    expect(dataOf(again, 'chat:end').session_status).toBe('waiting_for_input')
    expect(ran).toEqual([])
    await two.events(await two.answer(session_id, approve(lastCall(again))))
    expect(ran).toEqual([{ command: 'one' }])
  })

  test('expiry ends the wait with nobody connected and no model call', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Write' }] }], tools })
    const { session_id, events } = await one.chat('Go')
    await rig.sql('UPDATE confirmations SET expires_at = 1')
    const [item] = (await one.sessions.confirmations(me, page)).items
    await expect(one.sessions.decide(me, item!.id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'already_decided',
      details: { decision: 'expired' },
    })
    expect(await expire(one, rig)).toBe(1)
    expect(await expire(one, rig)).toBe(0)
    const [, turn] = await one.messages(session_id)
    expect(turn!.tool_calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(turn!.tool_calls[0]!.result).toMatch(/^expired/)
    expect(await one.sessions.get(me, session_id)).toMatchObject({ status: 'interrupted' })
    await expect(one.answer(session_id, approve(lastCall(events)))).rejects.toMatchObject({ code: 'ask_not_pending' })
    expect([ran, one.model.requests.length]).toEqual([[], 1])
  })

  test('headless: the run ends with what it would have needed', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Write' }] }, { text: 'no' }], tools })
    const { events } = await one.chat('Go', { headless: true })
    expect(dataOf(events, 'chat:end')).toMatchObject({
      status: 'failed',
      finish_reason: 'tool_error',
      error: { code: 'confirmation_required', tool_name: 'Bash', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(ran).toEqual([])
  })

  test.each(['after:C6', 'before:C9'] as const)(
    'headless, a crash %s: whoever carries on ends the run with the same words, and asks no model',
    async (point) => {
      await using rig = await Rig.open()
      const { ran, tools } = risky()
      const model = (request: ModelRequest) =>
        situation(request).asked === 'a' ? { calls: [bash('one'), { name: 'Write' }] } : { calls: [fork('a')] }
      const dead = rig.frozenAt(point, { model, tools })
      const { id } = await dead.create()
      const accepted = await dead.send(id, 'Go', { headless: true })
      await dead.frozen
      const two = rig.instance({ model: [{ text: 'no' }], tools })
      await rig.takeOver(id, two)
      expect(dataOf(await two.events(accepted), 'chat:end')).toMatchObject({
        status: 'failed',
        finish_reason: 'tool_error',
        error: { code: 'confirmation_required', tool_name: 'Bash', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      })
      expect([ran, two.model.requests]).toEqual([[], []])
      const turns = await two.messages(id)
      expect(turns.filter(({ status }) => status === 'streaming')).toEqual([])
      expect(turns.flatMap(({ tool_calls }) => tool_calls).filter(({ status }) => status === 'pending')).toEqual([])
    },
  )

  test('in a sub-agent at depth 3 it bubbles up like a question, and runs there', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = risky()
    const rounds = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'assistant').length
    const tasks: Record<string, readonly Reply[]> = {
      Go: [{ calls: [fork('a')] }, { text: 'main' }],
      a: [{ calls: [fork('b')] }, { text: 'a done' }],
      b: [{ calls: [fork('c')] }, { text: 'b done' }],
      c: [{ calls: [bash('deep')] }, { text: 'c done' }],
    }
    const model = (request: ModelRequest) => tasks[situation(request).asked]?.[rounds(request)] ?? { text: 'nothing' }
    const one = rig.instance({ model, tools })
    const { session_id, events } = await one.chat('Go')
    const { pause_tool_data } = dataOf(events, 'chat:end')
    expect(pause_tool_data).toMatchObject({ arguments: { source_loop: { description: 'About c' } } })
    const [root] = (await one.messages(session_id)).filter(({ role }) => role === 'assistant')
    const agent = root!.tool_calls[0]!
    expect(agent).toMatchObject({
      status: 'awaiting_answer',
      pending_question_ref: { child_tool_call_id: pause_tool_data!.tool_call_id },
    })
    await one.events(await one.answer(session_id, approve(agent.id)))
    expect(ran).toEqual([{ command: 'deep' }])
    expect((await one.messages(session_id)).filter(({ status }) => status !== 'completed')).toEqual([])
  })

  test('what the model writes into a question is no confirmation', async () => {
    await using rig = await Rig.open()
    const confirmation = {
      id: 'conf_x',
      tool_call_id: 'tc_x',
      tool_name: 'Bash',
      arguments: {},
      risk: 'low',
      preview: 'harmless',
      digest: 'x',
      expires_at: '2030-01-01',
    }
    const forged = { ...(ask().arguments as object), confirmation }
    const { tools } = risky()
    const one = rig.instance({ model: [{ calls: [{ name: 'AskUserQuestion', arguments: forged }] }], tools })
    const { events } = await one.chat('Go')
    expect(dataOf(events, 'chat:end').pause_tool_data!.arguments).not.toHaveProperty('confirmation')
  })
})

describe('consent around others, stops and restarts', () => {
  test('a decision between the pause and the end of the run is carried out by that run', async () => {
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

  test('a refusal between the pause and the end of the run is taken up by that run: nothing runs, nobody is asked again', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = world()
    const held = holdAt('before:C9')
    const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Then not' }], tools, at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Go')
    await held.reached
    const question = lastCall(await one.until(accepted, isQuestion))
    await one.answer(id, reject(question))
    await one.until(accepted, ({ data }) => data['patch_type'] === 'tool_result')
    held.go()
    const events = await one.events(accepted)
    expect(dataOf(events, 'chat:end').session_status).toBe('completed')
    expect(lastCall(events)).toBe(question)
    expect(ran).toEqual([])
    expect(one.model.requests[1]).toContain('rejected by the user')
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

  test('[DC5] a stop while others work cancels the question with its call', async () => {
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

  test('[DC7] a stop that was stored before anybody was asked wins: nobody is asked', async () => {
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

  test('[D3] a server that stops hands back a run in which one sub-agent waits and another works', async () => {
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

  test('[WR-34] after one of two questions of a sub-agent is answered, its call names the other', async () => {
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

  test('read-only calls that need consent are asked for one after another too', async () => {
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

  test('an edited approval that has grown old is asked for again as the model wrote it, once', async () => {
    await using rig = await Rig.open()
    const { ran, tools } = world()
    const one = rig.instance({ model: [{ calls: [bash('one')] }], tools })
    const { session_id, events } = await one.chat('Go')
    const dead = rig.frozenAt('before:C5', { model: [], tools })
    const accepted = await dead.answer(session_id, {
      ...approve(lastCall(events)),
      edited_arguments: { command: 'two' },
    })
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

  test('of two sub-agents that wait one expires: the calls above name the other, whose answer goes on with the run', async () => {
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

  test('[D5] withdrawal closes the question first, then its call, then what came after', async () => {
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

  test('a tool that went away while its consent was asked for leaves no question open in a finished run', async () => {
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
  })

  test.each(['approve', 'expire'] as const)(
    '[D3] a command that was stored when its owner died (%s) is applied by whoever carries on',
    async (what) => {
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
    },
  )

  test('an answer in words refuses, with the words as the reason; one to the call instead of its question is refused', async () => {
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

  test('edited arguments of an ordinary question are refused by name, and the question goes on waiting', async () => {
    await using rig = await Rig.open()
    const { tools } = world()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'ok' }], tools })
    const { session_id, events } = await one.chat('Go')
    const answer = approve(lastCall(events))
    await expect(one.answer(session_id, { ...answer, edited_arguments: { a: 1 } })).rejects.toThrow(/edited_arguments/)
    const end = await one.events(await one.answer(session_id, answer))
    expect(dataOf(end, 'chat:end').session_status).toBe('completed')
  })

  test('_meta of a JSON text stays out of the model also when the arguments were changed', async () => {
    await using rig = await Rig.open()
    const text = JSON.stringify({ ok: 1, _meta: { ui: { resourceHTML: '<p>secret card</p>' } } })
    const tools = scriptedTools({ Bash: { asks: true, run: () => text } })
    const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'ok' }], tools })
    const { session_id, events } = await one.chat('Go')
    await one.events(
      await one.answer(session_id, { ...approve(lastCall(events)), edited_arguments: { command: 'two' } }),
    )
    expect(one.model.requests.at(-1)).not.toContain('secret card')
    expect(one.model.requests.at(-1)).toContain('two')
  })

  test('a transaction that is gone through twice asks once, and numbers its patches without a gap', async () => {
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

  test('headless in a sub-agent: the whole run ends, and nothing is left open', async () => {
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

  test('in a run with a structured result it waits for consent, and then hands the result in', async () => {
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

  test('[WR-34] the ids of two sub-agents that wait stand for their questions, in any order', async () => {
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
})

const page = { status: undefined, limit: 50, offset: 0 }

/** The same with a read-only tool that asks, and one that takes its time. */
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

const calls = async (one: Instance, id: string) =>
  (await one.messages(id)).flatMap(({ tool_calls }) =>
    tool_calls.map(({ tool_name, status, pending_question_ref }) => [
      tool_name,
      status,
      pending_question_ref?.child_tool_call_id ?? null,
    ]),
  )

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

async function ended(one: Instance, session_id: string): Promise<Told[]> {
  return one.until(
    { session_id, since: 0 },
    ({ type, data }) => type === 'session:updated' && data['status'] === 'completed',
  )
}

async function auditOf(rig: Rig): Promise<string[]> {
  const rows = await rig.sql<{ action: string }>('SELECT action FROM audit ORDER BY id')
  return rows.map(({ action }) => action)
}

function expire({ journal, runs }: Instance, { engine }: Rig): Promise<number> {
  return expireDue({ engine, clock, ids, journal, tellOwner: (id) => runs.nudge(id) })
}
