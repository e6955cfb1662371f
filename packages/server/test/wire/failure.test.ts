import { textOf } from '@parley/protocol'
import type { FakeReply } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { sharedWorld, STORES, World } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  const BEFORE: [string, FakeReply, string][] = [
    ['a key that is refused', { error: { status: 401 } }, 'llm_error'],
    ['a request that is refused', { error: { status: 400 } }, 'llm_error'],
    ['a conversation that is too long', { error: { status: 400, overflow: true } }, 'context_overflow'],
    [
      'a refusal to answer',
      { error: { status: 400, body: { error: { message: 'no', code: 'content_filter' } } } },
      'llm_error',
    ],
    ['an error before any text', { errorInStream: { type: 'invalid_request_error', message: 'bad' } }, 'llm_error'],
  ]

  test.each(BEFORE)(
    '[W10.9] [WR-39] [WR-47] %s, before the first output: a turn with nothing but the reason, one system:error, chat:end',
    async (what, reply, code) => {
      world().learn({ [what]: () => reply, [`${what}, later`]: [{ text: 'Better now.' }] })
      await using chat = await world().chat()
      await using other = await world().chat({ session_id: chat.session_id })
      const run = await chat.run(what)
      expect(run.trace).toEqual([
        'chat:start',
        'turn:start T0 user completed',
        'turn:end T0 completed',
        'turn:start T1 assistant streaming',
        'turn:end T1 failed',
        'chat:end failed/failed',
      ])
      const errors = run.events.filter(({ name }) => name === 'system:error')
      expect(errors).toMatchObject([
        { payload: { session_id: chat.session_id, code, message: expect.any(String), run_id: run.ack.run_id } },
      ])
      expect(run.events.indexOf(errors[0]!) + 1).toBe(run.events.findIndex(({ name }) => name === 'chat:end'))
      expect(run.end).toMatchObject({
        result: null,
        finish_reason: null,
        error: { code, message: errors[0]!.payload['message'] },
      })
      const told = { blocks: [], tool_calls: [], failure_reason: `${code}: ${String(errors[0]!.payload['message'])}` }
      expect(endOf(run, -1)).toMatchObject(told)
      expect((await chat.messages()).slice(1)).toMatchObject([{ ...told, status: 'failed', sequence: 1 }])
      await other.until('chat:end')
      expect(other.received.filter(({ name }) => name === 'system:error')).toHaveLength(1)
      expect((await chat.session()).status).toBe('failed')
      expect((await chat.run(`${what}, later`)).end.status).toBe('completed')
      expect(world().requests(what)).toHaveLength(1)
      // The model is told nothing of a turn in which it said nothing.
      const said = world()
        .requests(`${what}, later`)[0]!
        .messages.map(({ role, text }) => `${role}: ${text}`)
      expect(said.slice(-2)).toEqual([`user: ${what}`, `user: ${what}, later`])
    },
  )

  test('[W10.9] a run that fails at its second model call says so in a turn of its own, after the finished one', async () => {
    world().learn({
      halfway: (_request, round) =>
        round === 0 ? { calls: [{ name: 'Bash', arguments: { command: 'ls' } }] } : { error: { status: 401 } },
    })
    await using chat = await world().chat()
    const run = await chat.run('halfway')
    expect(run.trace.slice(-4)).toEqual([
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'turn:end T2 failed',
      'chat:end failed/failed',
    ])
    expect((await chat.messages()).map(({ status }) => status)).toEqual(['completed', 'completed', 'failed'])
  })

  const AFTER: [string, FakeReply, string][] = [
    ['the provider hangs up', { text: 'Paris is', hangUp: true }, 'llm_stream_incomplete'],
    [
      'the stream carries an error',
      { text: 'Paris is', errorInStream: { type: 'server_error', message: 'oh' } },
      'llm_stream_incomplete',
    ],
    ['the stream turns to garbage', { text: 'Paris is', garbage: true }, 'llm_stream_incomplete'],
  ]

  test.each(AFTER)(
    '[W10.9] [WR-23] %s after the first output: the turn fails and keeps its text',
    async (what, reply, code) => {
      world().learn({ [what]: () => reply, [`${what}, later`]: [{ text: 'the capital.' }] })
      await using chat = await world().chat()
      const run = await chat.run(what)
      expect(run.trace.slice(3)).toEqual([
        'turn:start T1 assistant streaming',
        'T1 text: Paris is',
        'turn:end T1 failed',
        'chat:end failed/failed',
      ])
      const names = run.events.map(({ name }) => name)
      expect(names.slice(names.lastIndexOf('turn:end'))).toEqual([
        'turn:end',
        'system:error',
        'chat:end',
        'session:updated',
      ])
      expect(run.end.error).toMatchObject({ code })
      expect(endOf(run, -1).failure_reason).toMatch(new RegExp(`^${code}: `))
      expect((await chat.messages())[1]).toMatchObject({
        status: 'failed',
        failure_reason: endOf(run, -1).failure_reason,
      })
      // Nothing of it may be said twice.
      expect(world().requests(what)).toHaveLength(1)
      await chat.run(`${what}, later`)
      expect(
        world()
          .requests(`${what}, later`)[0]!
          .messages.map(({ text }) => text)
          .slice(0, 2),
      ).toEqual([what, 'Paris is'])
    },
  )

  test('[W10.9] a rate limit is waited for as the provider asks, told as llm:retry, and forgotten', async () => {
    let tries = 0
    world().learn({
      patience: () => (tries++ === 0 ? { error: { status: 429, retryAfter: 1 } } : { text: 'Thanks for waiting.' }),
    })
    await using chat = await world().chat()
    const startedAt = performance.now()
    const run = await chat.run('patience')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000)
    const [notice, ...others] = run.events.filter(({ name }) => name === 'system:notification')
    expect(others).toEqual([])
    expect(notice!.payload).toMatchObject({
      session_id: chat.session_id,
      notification_type: 'llm:retry',
      status: 'warning',
      title: expect.any(String),
      detail: expect.stringContaining('1000 ms'),
    })
    expect(run.end.status).toBe('completed')
    expect(run.trace).toContain('T1 text: Thanks for waiting.')
    expect(run.events.map(({ name }) => name)).not.toContain('system:error')
  })

  test('[W15] no message or detail carries a key that the provider repeats', async () => {
    world().learn({
      leaky: () => ({
        error: {
          status: 400,
          body: { error: { message: 'Incorrect key sk-live-abcdef123456', code: 'invalid_api_key' } },
        },
      }),
    })
    await using chat = await world().chat()
    const run = await chat.run('leaky')
    expect(run.end.status).toBe('failed')
    expect(JSON.stringify([chat.received, await chat.messages()])).not.toContain('abcdef123456')
  })

  test('[W10.9] [WR-25] the same call failing five times in a row ends the run with tool_error', async () => {
    world().learn({ stubborn: () => ({ calls: [{ name: 'Break', arguments: { why: 'again' } }] }) })
    await using chat = await world().chat()
    const run = await chat.run('stubborn')
    expect(run.end).toMatchObject({ status: 'failed', finish_reason: 'tool_error', error: { code: 'tool_error' } })
    expect(run.trace.filter((line) => line.includes('tool_result'))).toHaveLength(5)
    expect(run.trace.slice(-2)).toEqual(['turn:end T5 failed', 'chat:end failed/failed'])
  })
})

describe('with a limit of three model calls', () => {
  const world = sharedWorld('sqlite', { maxTurns: 3 })

  test('[W10.10] [WR-26] the run stops in good order, with a word about it', async () => {
    world().learn({ endless: (_request, round) => ({ calls: [{ name: 'Bash', arguments: { command: `${round}` } }] }) })
    await using chat = await world().chat()
    const run = await chat.run('endless')
    expect(run.trace.slice(-5)).toEqual([
      'T3 tool_result c3 done',
      'turn:end T3 completed',
      'turn:start T4 system completed',
      'turn:end T4 completed',
      'chat:end completed/completed',
    ])
    expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'max_turns', error: null })
    expect(endOf(run, -1).blocks).toMatchObject([
      { type: 'system_notification', content: 'Stopped after 3 model calls.' },
    ])
    expect(world().requests('endless')).toHaveLength(3)
  })
})

test('[W10.9] three retries and no more: then the run fails', async () => {
  await using world = await World.open()
  world.learn({ hopeless: () => ({ error: { status: 503 } }), hope: [{ text: 'Yes.' }] })
  await using chat = await world.chat()
  const run = await chat.run('hopeless')
  expect(run.events.filter(({ name }) => name === 'system:notification')).toHaveLength(3)
  expect(world.requests('hopeless')).toHaveLength(4)
  expect(run.end).toMatchObject({ status: 'failed', error: { code: 'llm_error' } })
  expect(textOf(endOf(await chat.run('hope'), -1))).toBe('Yes.')
})
