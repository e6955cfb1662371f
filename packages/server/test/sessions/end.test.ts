import { createEgress } from '../../src/egress/egress.ts'
import { startFakeModel } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createModels } from '../../src/models/registry.ts'
import { ask, fork, scriptedTools } from '../loop/scripted.ts'
import { choose, clock, dataOf, holdAt, ids, inShort, lastCall, me, Rig, structure } from './rig.ts'

describe('the end of a run', () => {
  test('[W10.1] a plain answer, over a provider on a real port', async () => {
    await using provider = await startFakeModel([
      { text: 'Paris it is.', usage: { input: 10, output: 3, cacheRead: 4 } },
    ])
    const { models, close } = createModels({
      models: [{ id: 'fake', provider: 'openai-compatible', name: 'Fake', url: provider.url, model: 'fake-model' }],
      egress: createEgress(),
      sleep: clock.sleep,
      limits: { characters: 10_000, argumentCharacters: 10_000, calls: 10 },
      random: () => 0,
      newCallId: () => ids.next('call'),
    } as unknown as Parameters<typeof createModels>[0])
    await using rig = await Rig.open()
    const one = rig.instance({ model: models[0]!.model })
    const { session_id, events } = await one.chat('Capital of France?')
    expect(structure(events)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
      'turn:end assistant completed',
      'chat:end completed completed',
      'session:updated',
    ])
    expect(dataOf(events, 'chat:end')).toMatchObject({
      result: null,
      finish_reason: 'completed',
      usage: { input_tokens: 10, output_tokens: 3, cache_read_tokens: 4 },
    })
    expect((await one.messages(session_id))[1]!.blocks).toMatchObject([{ type: 'text', content: 'Paris it is.' }])
    close()
  })

  test('[W10.1] names a session that has no name, after chat:end; one that has keeps it', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ text: 'Hi' }) })
    const { session_id, events } = await one.chat(`  What is\n the capital of ${'very '.repeat(20)}France?`)
    const { intent } = dataOf(events, 'session:updated')
    expect(intent).toMatch(/^What is the capital of very .*…$/)
    expect([...intent!]).toHaveLength(61)
    expect(inShort(events).slice(-2)).toEqual(['chat:end completed completed', 'session:updated'])
    expect((await one.sessions.get(me, session_id)).intent).toBe(intent)
    const named = await one.create({ intent: 'France' })
    await one.events(await one.send(named.id, 'Hello'))
    expect((await one.sessions.get(me, named.id)).intent).toBe('France')
  })

  test('a name given during the first run is kept, in the database, on the wire and in the search', async () => {
    await using rig = await Rig.open()
    const held = holdAt('before:C9')
    const one = rig.instance({ model: [{ text: 'Hi' }], at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello there')
    await held.reached
    await one.sessions.update(me, id, { intent: 'Renamed' })
    held.go()
    const events = await one.events(accepted)
    expect(dataOf(events, 'session:updated').intent).toBeUndefined()
    expect((await one.sessions.get(me, id)).intent).toBe('Renamed')
    expect((await one.sessions.list(me, { q: 'renamed' } as never)).items).toHaveLength(1)
  })

  test('what was asked and what was answered can be found', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ text: 'Paris, of course' }) })
    const { session_id } = await one.chat('法国的首都是哪里')
    await one.chat('Something else')
    const found = async (q: string) => (await one.sessions.list(me, { q } as never)).items.map(({ id }) => id)
    expect(await found('首都')).toEqual([session_id])
    expect(await found('something')).not.toContain(session_id)
    expect(await found('paris course')).toHaveLength(2)
    expect(await found('berlin')).toEqual([])
    expect((await one.sessions.list({ user_id: 'somebody else' }, { q: 'paris' } as never)).items).toEqual([])
  })

  test('[W10.9] a failure: the turn fails, one system:error, then chat:end', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ text: 'Half', failure: { message: 'gone', incomplete: true } }] })
    const { session_id, events } = await one.chat('Hello')
    expect(structure(events).slice(-4)).toEqual([
      'turn:end assistant failed',
      'system:error llm_stream_incomplete',
      'chat:end failed failed',
      'session:updated',
    ])
    expect(dataOf(events, 'chat:end')).toMatchObject({
      finish_reason: null,
      error: { code: 'llm_stream_incomplete', message: 'gone' },
    })
    expect(await one.sessions.get(me, session_id)).toMatchObject({ status: 'failed' })
  })

  test('[W10.9] retries are told, and are no end', async () => {
    await using rig = await Rig.open()
    const { events } = await rig.instance({ model: [{ retries: 2, text: 'Hi' }] }).chat('Hello')
    expect(inShort(events).filter((line) => line === 'notification llm:retry')).toHaveLength(2)
  })

  test('[W10.12] headless: the result is the text of the last turn of the main agent', async () => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Read: {} })
    const one = rig.instance({ model: [{ text: 'Let me see', calls: [{ name: 'Read' }] }, { text: 'Paris' }], tools })
    const { events } = await one.chat('Capital?', { headless: true })
    expect(dataOf(events, 'chat:end').result).toEqual({ output: 'Paris' })
    expect(one.model.requests[0]).not.toContain('AskUserQuestion')
  })

  test.each([
    [{ type: 'object', required: ['n'] }, { n: 1 }, { n: 1 }],
    [{ type: 'array', items: { type: 'string' } }, { result: ['a'] }, ['a']],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'integer' }, { result: 3 }, 3],
  ])('[W10.13] structured output by the schema %j', async (output_schema, handed, output) => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [{ name: 'submit_result', arguments: handed }] }] })
    const { events } = await one.chat('Hello', { output_schema })
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    expect(dataOf(events, 'chat:end').result).toEqual({ output, schema: output_schema })
  })

  test('[W10.13] a result that never fits fails the run, and says what was wrong', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ calls: [{ name: 'submit_result', arguments: {} }] }) })
    const { events } = await one.chat('Hello', { output_schema: { type: 'object', required: ['n'] } })
    expect(dataOf(events, 'system:error')).toMatchObject({
      code: 'output_schema_unsatisfied',
      detail: { errors: ["result must have required property 'n'"] },
    })
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', finish_reason: null, result: null })
  })

  test('[W10.10] the limit of model calls', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({
      model: () => ({ calls: [{ name: 'Read' }] }),
      tools: scriptedTools({ Read: {} }),
      maxTurns: 2,
    })
    const { session_id, events } = await one.chat('Hello')
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed', finish_reason: 'max_turns' })
    expect((await one.messages(session_id)).at(-1)).toMatchObject({
      role: 'system',
      blocks: [{ type: 'system_notification', content: 'Stopped after 2 model calls.' }],
    })
  })

  test('usage counts each turn in the run that made it, also when the run was resumed', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Thanks' }] })
    const { session_id, events } = await one.chat('Hello')
    expect(dataOf(events, 'chat:end').usage).toEqual({ input_tokens: 1, output_tokens: 1 })
    const resumed = await one.events(await one.answer(session_id, choose(lastCall(events))))
    expect(dataOf(resumed, 'chat:end').usage).toEqual({ input_tokens: 2, output_tokens: 1 })
  })
})

describe('[W10.14] the mode', () => {
  test('a change is a system turn before the message, once, and stays', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ text: 'A plan' }) })
    const { session_id, events } = await one.chat('Plan it', { mode: 'planning' })
    expect(structure(events).slice(0, 4)).toEqual([
      'chat:start',
      'turn:start system completed',
      'turn:end system completed',
      'turn:start user completed',
    ])
    expect((await one.messages(session_id))[0]!.blocks).toMatchObject([
      { type: 'mode_change', content: { from: 'executing', to: 'planning' } },
      { type: 'planning_enter' },
    ])
    expect(await one.sessions.get(me, session_id)).toMatchObject({ mode: 'planning' })
    const again = await one.events(await one.send(session_id, 'Better', { mode: 'planning' }))
    expect(structure(again)[1]).toBe('turn:start user completed')
    await one.events(await one.send(session_id, 'Do it', { mode: 'executing' }))
    expect((await one.messages(session_id))[5]!.blocks).toMatchObject([
      { type: 'planning_exit' },
      { type: 'mode_change' },
    ])
  })

  test('who only plans is offered no sub-agents', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [fork('dig')] }, { text: 'A plan' }] })
    const { session_id } = await one.chat('Plan it', { mode: 'planning' })
    expect(one.model.requests[0]).not.toContain('"Agent"')
    expect((await one.messages(session_id))[2]!.tool_calls).toMatchObject([{ status: 'error' }])
  })
})

describe('deleting a session', () => {
  test('during a run: followers are told, the run ends unheard, and nothing of it is left', async () => {
    await using rig = await Rig.open()
    const toolEnded = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Bash: {
        run: (_input, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              toolEnded.resolve()
              resolve({ result: 'aborted' })
            })
          }),
      },
    })
    const one = rig.instance({ model: [{ calls: [{ name: 'Bash' }] }], tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const last = one.until(accepted, ({ type }) => type === 'session:deleted')
    await one.until(accepted, ({ type }) => type === 'run:tool_claim')
    await one.sessions.delete(me, id)
    await toolEnded.promise
    expect(inShort(await last).at(-1)).toBe('session:deleted')
    for (const table of ['sessions', 'gates', 'events', 'turns', 'runs', 'commands', 'search_documents'])
      expect(await rig.engine.select(`SELECT * FROM ${table}`, []), table).toEqual([])
    await expect(one.sessions.get(me, id)).rejects.toMatchObject({ code: 'session_not_found' })
    expect(rig.errors).toEqual([])
  })
})
