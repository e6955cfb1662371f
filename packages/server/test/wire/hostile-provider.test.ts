import { textOf } from '@parley/protocol'
import type { FakeReply } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { sharedWorld, STORES } from './world.ts'

const said = (...chunks: unknown[]): FakeReply => ({
  recorded: { body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n` },
})
const delta = (value: unknown, finish_reason: unknown = null) => ({ choices: [{ delta: value, finish_reason }] })
const stop = delta({ content: 'Hi' }, 'stop')

const SHAPES: [string, unknown[]][] = [
  ['a call that is null', [delta({ tool_calls: [null] }), stop]],
  ['calls that are no list', [delta({ tool_calls: { length: 3 } }), stop]],
  ['calls that are text', [delta({ tool_calls: 'Read' }), stop]],
  ['a name that is no text', [delta({ tool_calls: [{ index: 0, id: 'c', function: { name: { trim: 1 } } }] }), stop]],
  [
    'arguments that are no text',
    [delta({ tool_calls: [{ function: { name: 'Look', arguments: { name: 'x' } } }] }), stop],
  ],
  [
    'an id and an index of another kind',
    [delta({ tool_calls: [{ index: {}, id: 7, function: { name: 'Bash' } }] }), stop],
  ],
  ['choices that are no list', [{ choices: { 0: {} } }, stop]],
  ['a choice that is null', [{ choices: [null] }, stop]],
  ['a delta that is a list', [delta([null]), stop]],
  [
    'text in parts that are null',
    [delta({ content: [null, { type: 'thinking', thinking: [null, { text: {} }] }] }), stop],
  ],
  ['a reason that is an object', [delta({ content: 'Hi' }, { toString: null }), stop]],
  [
    'counts that are none',
    [{ ...stop, usage: { prompt_tokens: 'a', completion_tokens: [], prompt_tokens_details: 7 } }],
  ],
  ['counts beyond all measure', [{ ...stop, usage: { prompt_tokens: 1e308, completion_tokens: -4.5 } }]],
  ['an error that is a list', [{ error: [[[]]] }]],
  ['characters that no database takes', [delta({ content: 'a\u0000b\ud800c' }), stop]],
  ['a list in place of everything', [[], [[]], stop]],
]

describe.each(STORES)('[D7] a provider’s bytes are data, on %s', (store) => {
  const world = sharedWorld(store)

  test.each(SHAPES)('%s ends its run, and nothing else', async (what, chunks) => {
    world().learn({ [what]: () => said(...chunks), [`${what}, later`]: [{ text: 'Better now.' }] })
    await using chat = await world().chat()
    const { end } = await chat.run(what)
    expect(['completed', 'failed']).toContain(end.status)
    expect(end.usage === null || Object.values(end.usage).every(Number.isSafeInteger)).toBe(true)
    expect((await chat.messages()).at(-1)?.status).not.toBe('streaming')
    expect((await chat.run(`${what}, later`)).end.status).toBe('completed')
    expect(world().errors).toEqual([])
  })

  test('[W10.10] an answer that the provider ends for its length is kept; its calls are not run, and everybody is told', async () => {
    const calls = [{ name: 'Bash', arguments: '{"command":"rm' }]
    world().learn({ long: [{ text: 'So far', calls, finish: 'length' }] })
    await using chat = await world().chat()
    const run = await chat.run('long')
    expect(run.trace.slice(-4)).toEqual([
      'turn:end T1 completed',
      'turn:start T2 system completed',
      'turn:end T2 completed',
      'chat:end completed/completed',
    ])
    expect(run.end).toMatchObject({ finish_reason: 'completed', cut: 'length', error: null })
    expect(endOf(run, -2)).toMatchObject({ status: 'completed', tool_calls: [] })
    expect(textOf(endOf(run, -2))).toBe('So far')
    expect(endOf(run, -1).blocks).toMatchObject([
      { type: 'system_notification', content: expect.stringContaining('not run') },
    ])
    const { body } = await world().rest('POST', `/api/sessions/${await world().newSession()}/chat`, {
      body: { message: 'long' },
    })
    expect(body).toMatchObject({ status: 'completed', cut: 'length', result: { output: 'So far' } })
  })
})

describe('[D7] an answer has a length', () => {
  const world = sharedWorld('sqlite', { answerLimits: { characters: 20_000, argumentCharacters: 1_000, calls: 5 } })
  const call = (index: number, text = '{}') => ({
    tool_calls: [{ index, id: `c${index}`, function: { name: 'Bash', arguments: text } }],
  })

  test.each<[string, object[]]>([
    ['text', Array.from({ length: 100 }, () => ({ content: 'x'.repeat(1_000) }))],
    ['thinking', Array.from({ length: 100 }, () => ({ reasoning_content: 'x'.repeat(1_000) }))],
    ['parts', Array.from({ length: 100 }, (_, n) => (n % 2 ? { content: 'x' } : { reasoning_content: 'y' }))],
    ['calls', Array.from({ length: 100 }, (_, n) => call(n))],
    ['arguments of one call', Array.from({ length: 100 }, () => call(0, 'x'.repeat(100)))],
    ['arguments of all calls', Array.from({ length: 100 }, (_, n) => call(n % 4, 'x'.repeat(1_000)))],
    ['what goes back', [{ tool_calls: [{ function: { name: 'Bash' }, extra_content: { a: 'x'.repeat(30_000) } }] }]],
  ])('%s beyond it are cut: the connection is closed, what was said is kept, nothing is run', async (what, deltas) => {
    const frames = [{ content: 'First.' }, ...deltas].map((one) => `data: ${JSON.stringify(delta(one))}\n\n`)
    world().learn({ [what]: () => ({ recorded: { body: frames }, hang: 'after' }) })
    await using chat = await world().chat()
    const run = await chat.run(what)
    expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'completed', cut: 'length' })
    const answer = endOf(run, -2)
    expect(answer).toMatchObject({ status: 'completed', tool_calls: [] })
    expect(textOf(answer)).toMatch(/^First\./)
    expect(JSON.stringify(answer.blocks).length).toBeLessThan(25_000)
    expect(await world().requests(what)[0]!.closed).toBe('aborted')
  })
})
