import { textOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { Chat, Run } from './chat.ts'
import { agentCall, askCall, sharedWorld, STORES } from './world.ts'

/** From the request to `chat:end`. */
async function stopped(chat: Chat, ack: { run_id: string }): Promise<Run & { tookMs: number }> {
  const askedAt = performance.now()
  expect(await chat.stop()).toMatchObject({ status: 'ok', message: null })
  await chat.until('chat:end')
  const tookMs = performance.now() - askedAt
  return { ...(await chat.ended(ack as never)), tookMs }
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.8] [WR-40] [WR-25] during text: what was said stays, and the next run has it in its context', async () => {
    world().learn({
      'tell me': [{ text: 'Once upon a time', hang: 'after' }],
      'go on': [{ text: 'there was a server.' }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('tell me')
    await chat.told('T1 text: Once upon a time')
    const run = await stopped(chat, ack)
    expect(run.tookMs).toBeLessThan(2_000)
    expect(run.trace.slice(3)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 text: Once upon a time',
      'turn:end T1 interrupted',
      'chat:end interrupted/interrupted',
    ])
    expect(run.end).toMatchObject({ result: null, finish_reason: null, error: null, session_status: 'interrupted' })
    expect(run.events.at(-1)).toMatchObject({ name: 'session:updated', payload: { status: 'interrupted' } })
    expect(run.events.map(({ name }) => name)).not.toContain('system:error')
    expect(await world().requests('tell me')[0]!.closed).toBe('aborted')
    expect((await chat.session()).status).toBe('interrupted')
    expect(textOf((await chat.messages())[1]!)).toBe('Once upon a time')

    expect((await chat.run('go on')).end.status).toBe('completed')
    expect(
      world()
        .requests('go on')[0]!
        .messages.map(({ role, text }) => [role, text]),
    ).toEqual([
      ['user', 'tell me'],
      ['assistant', 'Once upon a time'],
      ['user', 'go on'],
    ])
  })

  test('[W10.8] before the provider has said anything: no turn, and an end all the same', async () => {
    world().learn({ silence: [{ hang: 'before' }] })
    await using chat = await world().chat()
    const ack = await chat.send('silence')
    await expect.poll(() => world().requests('silence').length).toBe(1)
    const run = await stopped(chat, ack)
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'chat:end interrupted/interrupted',
    ])
  })

  test('[W10.8] arguments that are not complete: the call was never announced', async () => {
    world().learn({ half: [{ text: 'Wait. ', hang: 'after', calls: [{ name: 'Bash', arguments: '{"comm' }] }] })
    await using chat = await world().chat()
    const ack = await chat.send('half')
    await chat.told('T1 text: Wait.')
    const run = await stopped(chat, ack)
    expect(run.trace.slice(4)).toEqual([
      expect.stringMatching(/^T1 text: Wait\./),
      'turn:end T1 interrupted',
      'chat:end interrupted/interrupted',
    ])
  })

  test.each([
    ['Work', 'a tool that listens'],
    ['Deaf', 'a tool that does not listen'],
  ])('[W10.8] during %s (%s): cancelled within two seconds, and the model hears of it', async (name) => {
    const [question, next] = [`busy with ${name}`, `after ${name}`]
    const call = (gate: string) => ({ name, arguments: { name: gate } })
    world().learn({ [question]: [{ calls: [call(`${name}-1`), call(`${name}-2`)] }], [next]: [{ text: 'Right.' }] })
    await using chat = await world().chat()
    const ack = await chat.send(question)
    await world().gates.reached(`${name}-1`)
    const run = await stopped(chat, ack)
    expect(run.tookMs).toBeLessThan(2_000)
    expect(run.trace.slice(4)).toEqual([
      `T1 add_tool_call c1 ${name} pending`,
      `T1 add_tool_call c2 ${name} pending`,
      'T1 set_tool_status c1 cancelled',
      'T1 set_tool_status c2 cancelled',
      'turn:end T1 interrupted',
      'chat:end interrupted/interrupted',
    ])
    await chat.run(next)
    const { messages, results } = world().requests(next)[0]!
    expect(messages.map(({ role, calls }) => [role, ...calls])).toEqual([
      ['user'],
      ['assistant', name, name],
      ['tool'],
      ['tool'],
      ['user'],
    ])
    expect(results).toEqual([])
    expect(messages.filter(({ role }) => role === 'tool').map(({ text }) => text)).toEqual([
      'cancelled by the user',
      'cancelled by the user',
    ])
  })

  test('[W10.8] during a fork: innermost first', async () => {
    world().learn({
      boss: [{ calls: [agentCall('helper')] }],
      helper: [{ calls: [{ name: 'Work', arguments: { name: 'deep' } }] }],
    })
    await using chat = await world().chat()
    const ack = await chat.send('boss')
    await world().gates.reached('deep')
    const run = await stopped(chat, ack)
    expect(run.tookMs).toBeLessThan(2_000)
    expect(run.trace.slice(6)).toEqual([
      'T2 add_tool_call c2 Work pending',
      'T2 set_tool_status c2 cancelled',
      'turn:end T2 interrupted',
      'T1 set_tool_status c1 cancelled',
      'turn:end T1 interrupted',
      'chat:end interrupted/interrupted',
    ])
    const turns = await chat.messages()
    expect(turns.flatMap(({ tool_calls }) => tool_calls.map(({ status }) => status))).toEqual([
      'cancelled',
      'cancelled',
    ])
  })

  test('[W10.8] [WR-41] while a question waits: withdrawn without a chat:end', async () => {
    world().learn({
      upstairs: [{ calls: [agentCall('downstairs')] }],
      downstairs: [{ calls: [askCall()] }],
      'move on': [{ text: 'Moving.' }],
    })
    await using chat = await world().chat()
    await chat.run('upstairs')
    const from = chat.received.length
    expect(await chat.stop()).toMatchObject({ status: 'ok', message: null })
    await chat.told('session:updated interrupted')
    expect(chat.trace(chat.received.slice(from))).toEqual([
      'T2 set_tool_status c2 cancelled',
      'T2 set_status interrupted',
      'T1 set_tool_status c1 cancelled',
      'T1 set_status interrupted',
    ])
    expect(await chat.session()).toMatchObject({ status: 'interrupted', pending_question: null })
    expect(chat.fold().turns).toEqual(await chat.messages())
    await chat.run('move on')
    expect(
      world()
        .requests('move on')[0]!
        .messages.map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  test('[W5.4] twice, and when idle: always ok, with nothing to stop it says so', async () => {
    world().learn({ 'stop twice': [{ text: 'On and on', hang: 'after' }] })
    await using chat = await world().chat()
    expect(await chat.stop()).toMatchObject({ status: 'ok', message: 'not_running' })
    const ack = await chat.send('stop twice')
    await chat.told('T1 text: On and on')
    const [one, two] = await Promise.all([chat.stop(), chat.stop()])
    expect([one, two]).toMatchObject([{ status: 'ok' }, { status: 'ok' }])
    const run = await chat.ended(ack)
    expect(run.trace.filter((line) => line.startsWith('chat:end'))).toEqual(['chat:end interrupted/interrupted'])
    expect(await chat.stop()).toMatchObject({ status: 'ok', message: 'not_running' })
    expect(await chat.messages()).toHaveLength(2)
  })

  test('[W10.8] [W17.7] again and again, each next message from inside chat:end is accepted', async () => {
    world().learn({ again: () => ({ text: 'Round and round', hang: 'after' }) })
    await using chat = await world().chat()
    for (let round = 0; round < 10; round++) {
      const ended = new Promise<{ status: string }>((resolve, reject) => {
        chat.client.socket.once('chat:end', () => void chat.send('again').then(resolve, reject))
      })
      if (round === 0) expect(await chat.send('again')).toMatchObject({ status: 'ok' })
      await chat.until(({ name, payload }) => name === 'turn:patch' && isNew(payload), `text of round ${round}`)
      seen.add(chat.received.findLast(({ name }) => name === 'turn:patch')!.payload['turn_id'] as string)
      await chat.stop()
      expect(await ended).toMatchObject({ status: 'ok' })
    }
    await chat.stop()
    expect((await chat.messages()).filter(({ role }) => role === 'user')).toHaveLength(11)
  })

  const seen = new Set<string>()
  const isNew = (payload: Record<string, unknown>) => !seen.has(payload['turn_id'] as string)
})
