import { describe, expect, test } from 'vitest'
import { ask, scriptedTools } from '../loop/scripted.ts'
import { choose, dataOf, holdAt, inShort, lastCall, Rig } from './rig.ts'

describe('[W5.6] a message added to a run', () => {
  test('is shown at once, and reaches the model with its next call', async () => {
    await using rig = await Rig.open()
    const reading = Promise.withResolvers<void>()
    const tools = scriptedTools({
      Read: {
        async run() {
          await reading.promise
          return { result: 'read' }
        },
      },
    })
    const one = rig.instance({ model: [{ calls: [{ name: 'Read' }] }, { text: 'Done' }], tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ type }) => type === 'run:tool_claim')
    await one.append(id, 'And hurry')
    await one.until(accepted, ({ type, data }) => type === 'turn:end' && JSON.stringify(data).includes('And hurry'))
    reading.resolve()
    const events = await one.events(accepted)
    expect(inShort(events).filter((line) => line === 'turn:start user completed')).toHaveLength(2)
    const { messages } = JSON.parse(one.model.requests[1]!) as { messages: { role: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  test('before the run has looked for the first time is shown all the same', async () => {
    await using rig = await Rig.open()
    const letGo = Promise.withResolvers<void>()
    const held = holdAt('after:C1')
    const one = rig.instance({ model: [{ text: 'Hi', until: letGo.promise }, { text: 'Ho' }], at: held.at })
    const { id } = await one.create()
    const sent = one.send(id, 'Hello')
    await held.reached
    await one.append(id, 'And hurry')
    held.go()
    const accepted = await sent
    await one.until(accepted, ({ type, data }) => type === 'turn:end' && JSON.stringify(data).includes('And hurry'))
    letGo.resolve()
    await one.events(accepted)
    expect(one.model.requests).toHaveLength(2)
  })

  test.each(['here', 'at another instance'])(
    '[DC9] that arrives at the very end, %s, keeps the run going',
    async (where) => {
      await using rig = await Rig.open()
      const held = holdAt('before:C9')
      const one = rig.instance({ model: [{ text: 'Hi' }, { text: 'Sure' }], at: held.at })
      const { id } = await one.create()
      const accepted = await one.send(id, 'Hello')
      await held.reached
      await (where === 'here' ? one : rig.instance()).append(id, 'One more thing')
      held.go()
      const events = await one.events(accepted)
      expect(inShort(events).filter((line) => line.startsWith('chat:end'))).toHaveLength(1)
      expect(one.model.requests).toHaveLength(2)
      expect(one.model.requests[1]).toContain('One more thing')
    },
  )

  test('with the same client_message_id again is accepted again, during the run and after it, and added once', async () => {
    await using rig = await Rig.open()
    const letGo = Promise.withResolvers<void>()
    const one = rig.instance({ model: [{ text: 'Hi', until: letGo.promise }, { text: 'Ho' }] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.append(id, 'And hurry', 'a1')
    await one.append(id, 'And hurry', 'a1')
    letGo.resolve()
    await one.events(accepted)
    await one.append(id, 'And hurry', 'a1')
    expect((await one.messages(id)).filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  test('when nothing runs is not_running; an empty one is invalid_payload', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }] })
    const { id } = await one.create()
    await expect(one.append(id, 'Hello')).rejects.toMatchObject({ code: 'not_running' })
    await expect(one.append(id, ' ')).rejects.toMatchObject({ code: 'invalid_payload' })
    await one.events(await one.send(id, 'Hello'))
    await expect(one.append(id, 'Hello')).rejects.toMatchObject({ code: 'not_running' }) // it waits, it does not run
  })

  test('[W10.10] to a run that may make no more model calls stays in the conversation, and the run ends', async () => {
    await using rig = await Rig.open()
    const held = holdAt('before:C6', 2)
    const one = rig.instance({
      model: () => ({ calls: [{ name: 'Read' }] }),
      tools: scriptedTools({ Read: {} }),
      maxTurns: 2,
      at: held.at,
    })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await held.reached
    await one.append(id, 'One more thing')
    held.go()
    const events = await one.events(accepted)
    expect(dataOf(events, 'chat:end')).toMatchObject({ finish_reason: 'max_turns' })
    expect(inShort(events).filter((line) => line === 'turn:start system completed')).toHaveLength(1)
    expect((await one.messages(id)).filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  test('while the run is about to pause reaches the model once the question is answered', async () => {
    await using rig = await Rig.open()
    const held = holdAt('before:C9')
    const one = rig.instance({ model: [{ calls: [ask()] }, { text: 'Fine' }], at: held.at })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await held.reached
    await one.append(id, 'One more thing')
    held.go()
    const events = await one.events(accepted)
    expect(dataOf(events, 'chat:end')).toMatchObject({ session_status: 'waiting_for_input' })
    await one.events(await one.answer(id, choose(lastCall(events))))
    expect(one.model.requests[1]).toContain('One more thing')
  })

  test('that a stop overtakes is not lost: it is part of the conversation', async () => {
    await using rig = await Rig.open()
    const held = holdAt('before:C9')
    const one = rig.instance({
      model: [{ text: 'Hi', until: new Promise(() => undefined) }, { text: 'Ho' }],
      at: held.at,
    })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ data }) => data['patch_type'] === 'add_content')
    await one.stop(id)
    await held.reached
    await one.append(id, 'One more thing')
    held.go()
    expect(dataOf(await one.events(accepted), 'chat:end')).toMatchObject({ status: 'interrupted' })
    expect((await one.messages(id)).at(-1)).toMatchObject({ role: 'user' })
  })

  test('[D3] is applied in one transaction with its effect', async () => {
    await using rig = await Rig.open()
    const letGo = Promise.withResolvers<void>()
    const one = rig.instance({ model: [{ text: 'Hi', until: letGo.promise }, { text: 'Ho' }] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ data }) => data['patch_type'] === 'add_content')
    await one.append(id, 'And hurry')
    const isShown = ({ type, data }: { type: string; data: unknown }) =>
      type === 'turn:start' && JSON.stringify(data).includes('And hurry')
    await one.until(accepted, isShown)
    // Readers are told right after a commit: what is not there now was not part of it.
    expect(await rig.engine.select('SELECT id FROM commands WHERE applied_at IS NULL', [])).toEqual([])
    letGo.resolve()
    await one.events(accepted)
  })
})
