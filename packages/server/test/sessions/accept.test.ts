import { AgentError, type ChatSendPayload } from '@parley/protocol'
import { chatSendSchema } from '@parley/protocol/schemas'
import { describe, expect, test } from 'vitest'
import { ask, type Reply } from '../loop/scripted.ts'
import { postgresPlace } from '../store/place.ts'
import { choose, dataOf, holdAt, Instance, lastCall, me, Rig } from './rig.ts'

/** Everything the database knows of a session. */
async function traceOf(rig: Rig, session_id: string): Promise<unknown> {
  const rows = (sql: string) => rig.sql(sql, [session_id])
  return {
    session: await rows('SELECT * FROM sessions WHERE id = ?'),
    gate: await rows('SELECT * FROM gates WHERE session_id = ?'),
    events: await rows('SELECT * FROM events WHERE session_id = ?'),
    runs: await rows('SELECT * FROM runs WHERE session_id = ?'),
    turns: await rows('SELECT * FROM turns WHERE session_id = ?'),
    commands: await rows('SELECT * FROM commands WHERE session_id = ?'),
  }
}

const busyForever: Reply = { text: 'Well', until: new Promise(() => undefined) }
/** Wrong in every way that can be checked; each row of the table below puts one thing right. */
const wrong: Partial<ChatSendPayload> = {
  message: '',
  output_schema: { type: 'nonsense' },
  model: 'unknown',
  askuser_answer: choose('tc_unknown', 7),
}

describe('[W5.3] acceptance', () => {
  test('the checks come in order: the first failure is reported, and it leaves no trace', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, busyForever] })
    const { session_id, events } = await one.chat('Hello')
    const before = await traceOf(rig, session_id)
    const refused = async (payload: Partial<ChatSendPayload>, code: string) => {
      const sent = one.sessions.send(me, chatSendSchema.parse({ session_id, ...wrong, ...payload }))
      await expect(sent).rejects.toMatchObject({ code })
    }
    await refused({ session_id: 'sess_unknown' }, 'session_not_found')
    await expect(
      one.sessions.send({ user_id: 'somebody else' }, chatSendSchema.parse({ session_id, ...wrong })),
    ).rejects.toMatchObject({ code: 'session_not_found' })
    await refused({}, 'output_schema_invalid')
    await refused({ output_schema: null }, 'model_not_available')
    await refused({ output_schema: null, model: null }, 'ask_not_pending')
    await refused({ output_schema: null, model: null, askuser_answer: choose(lastCall(events), 7) }, 'invalid_answer')
    await refused({ output_schema: null, model: null, askuser_answer: null }, 'invalid_payload')
    expect(await traceOf(rig, session_id)).toEqual(before)
  })

  test('[WR-37] a plain message during a run is session_busy, also an empty one, and changes nothing', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [busyForever] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ type, data }) => type === 'turn:patch' && data['patch_type'] === 'add_content')
    const before = await traceOf(rig, id)
    await expect(one.send(id, 'Again')).rejects.toMatchObject({
      code: 'session_busy',
      details: { session_id: id, run_id: accepted.run_id },
    })
    await expect(one.send(id, '')).rejects.toMatchObject({ code: 'session_busy' })
    expect(await traceOf(rig, id)).toEqual(before)
    await one.stop(id)
    await one.events(accepted)
  })

  test.each([
    [{ selections: {}, custom: {} }, [{ question: 0, reason: 'missing' }]],
    [{ selections: { '0': [] }, custom: { '0': '  ' } }, [{ question: 0, reason: 'missing' }]],
    [{ selections: { '0': [0], '3': [0] }, custom: {} }, [{ question: 3, reason: 'unknown_question' }]],
    [{ selections: { '0': [2] }, custom: {} }, [{ question: 0, reason: 'option_out_of_range' }]],
    [{ selections: { '0': [0, 1] }, custom: {} }, [{ question: 0, reason: 'too_many_selected' }]],
    [{ selections: { '0': [1, 1] }, custom: {} }, [{ question: 0, reason: 'duplicate_option' }]],
  ])('[W10.5] an answer that does not fit changes nothing and says why: %j', async (answer, errors) => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }] })
    const { session_id, events } = await one.chat('Hello')
    const before = await traceOf(rig, session_id)
    const tool_call_id = lastCall(events)
    const failure = await one.answer(session_id, { tool_call_id, ...answer }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AgentError)
    expect(failure).toMatchObject({ code: 'invalid_answer', details: { tool_call_id, errors } })
    expect(await traceOf(rig, session_id)).toEqual(before)
  })

  test('what is accepted is durable and complete before the acknowledgement', async () => {
    await using rig = await Rig.open()
    const held = holdAt('after:C1')
    const one = rig.instance({ model: [{ text: 'Hi' }], at: held.at })
    const { id } = await one.create()
    const sent = one.send(id, 'Hello', { runtime_env: { TOKEN: 'secret' } })
    await held.reached
    expect(await one.sessions.get(me, id)).toMatchObject({ status: 'running', model: 'scripted' })
    const events = await rig.sql<{ type: string; data: string }>('SELECT type, data FROM events WHERE session_id = ?', [
      id,
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'chat:start',
      'turn:start',
      'turn:end',
      'run:owner',
      'run:model_call',
    ])
    expect(JSON.stringify(events)).not.toContain('secret')
    held.go()
    await one.events(await sent)
    expect(await rig.sql('SELECT secrets FROM runs')).toEqual([{ secrets: null }])
  })
})

describe('[DC1] client_message_id', () => {
  test('the same message again starts nothing and gets the first acknowledgement, during the run and after it', async () => {
    await using rig = await Rig.open()
    const letGo = Promise.withResolvers<void>()
    const one = rig.instance({ model: [{ text: 'Hi', until: letGo.promise }] })
    const { id } = await one.create()
    const first = await one.send(id, 'Hello', { client_message_id: 'm1' })
    expect(await one.send(id, 'Hello', { client_message_id: 'm1' })).toEqual(first)
    letGo.resolve()
    await one.events(first)
    expect(await one.send(id, 'Hello', { client_message_id: 'm1' })).toEqual(first)
    expect(await one.messages(id)).toHaveLength(2)
  })

  test('the same id with another body is refused, and changes nothing', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ text: 'Hi' }] })
    const { id } = await one.create()
    await one.events(await one.send(id, 'Hello', { client_message_id: 'm1' }))
    const before = await traceOf(rig, id)
    await expect(one.send(id, 'Hello!', { client_message_id: 'm1' })).rejects.toMatchObject({ code: 'invalid_payload' })
    expect(await traceOf(rig, id)).toEqual(before)
  })

  test('the same id in another session is another message', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ text: 'Hi' }, { text: 'Ho' }] })
    const runs = [
      await one.chat('Hello', { client_message_id: 'm1' }),
      await one.chat('Hello', { client_message_id: 'm1' }),
    ]
    expect(runs[0]!.run_id).not.toBe(runs[1]!.run_id)
  })

  test('the same message twice at once, on PostgreSQL: one run, and both are told of it', async () => {
    await using place = await postgresPlace()
    await using engine = await place.open()
    const rig = new Rig('/nowhere', engine)
    const one = new Instance(rig, { model: () => ({ text: 'Hi' }) })
    for (let round = 1; round <= 10; round++) {
      const { id } = await one.create()
      const twins = await Promise.all([1, 2].map(() => one.send(id, 'Hello', { client_message_id: 'm1' })))
      expect(twins[0]!.run_id).toBe(twins[1]!.run_id)
      const chatEnd = dataOf(await one.events(twins[0]!), 'chat:end')
      expect(chatEnd).toMatchObject({ status: 'completed' })
    }
    await one.runs[Symbol.asyncDispose]()
  })
})
