import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ModelMessage, ModelRequest } from '../../src/ports.ts'
import { fork, type Reply, scriptedTools } from '../loop/scripted.ts'
import { dataOf, type Instance, structure } from '../sessions/rig.ts'
import { folded, isSummary, requestAt, tokensOf, unmatched, words } from './conversation.ts'
import { on, PLACES } from './places.ts'

const SUMMARY = { text: 'The summary.' }
const round = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'tool').length
const compactionsOf = async (one: Instance, id: string) =>
  (await one.messages(id)).filter(({ kind }) => kind === 'compaction')
const textOf = (messages: readonly ModelMessage[]) => JSON.stringify(messages)

/** Says no to what is longer than its window, as providers do. */
const refusing =
  (window: number, reply: (request: ModelRequest) => Reply) =>
  (request: ModelRequest): Reply =>
    tokensOf(request) > window
      ? { failure: { kind: 'overflow', message: 'too long', contextWindow: window } }
      : { ...reply(request), usage: null }

describe.each(PLACES)('[W10.11] on %s', (place) => {
  test('[D4] auto: a conversation beyond its share of the window is compacted before the next call, inside the run', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: (request) => (isSummary(request) ? SUMMARY : { text: `Yes. ${words(100)}`, usage: null }),
      compactAt: 0.9,
    })
    const { id } = await one.create()
    for (let at = 1; at <= 3; at++) await one.events(await one.send(id, `Question ${at}. ${words(100)}`))
    const events = await one.events(await one.send(id, 'Question 4'))
    const [start, end] = events.filter(({ data }) => data['kind'] === 'compaction')
    expect([start!.data, end!.data]).toMatchObject([
      { status: 'streaming', trigger: 'auto' },
      { status: 'completed', trigger: 'auto', summary_full: 'The summary.' },
    ])
    const types = structure(events)
    expect(types.indexOf('turn:end system completed')).toBeLessThan(types.indexOf('turn:start assistant streaming'))
    expect(types.filter((line) => line === 'chat:start' || line.startsWith('chat:end'))).toHaveLength(2)
    expect(textOf(requestAt(one, -1).messages)).toContain('The summary.')
    expect(textOf(requestAt(one, -1).messages)).toContain('Question 4')
  })

  test('auto inside one long run keeps the user’s message, and every call keeps its result', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: refusing(1_000, (request) =>
        isSummary(request)
          ? SUMMARY
          : round(request) + textOf(request.messages).split('The summary').length < 30 && one.model.requests.length < 14
            ? { calls: [{ name: 'Read', arguments: { path: `src/file-${one.model.requests.length}.ts` } }] }
            : { text: 'Done.' },
      ),
      tools: scriptedTools({ Read: { run: () => words(150) } }),
      compactAt: 0.6,
    })
    const { id } = await one.create()
    const events = await one.events(await one.send(id, 'Read all of it, please.'))
    expect(dataOf(events, 'chat:end').status).toBe('completed')
    const compactions = await compactionsOf(one, id)
    expect(compactions.length).toBeGreaterThan(0)
    for (const text of one.model.requests) {
      const request = JSON.parse(text) as ModelRequest
      expect(unmatched(request.messages)).toEqual([])
      if (!textOf(request.messages).includes('<record>')) expect(textOf(request.messages)).toContain('Read all of it')
    }
    expect(compactions.at(-1)!.archived_range!.kept).toEqual([0])
    expect(await folded(one, id)).toEqual(await one.messages(id))
  })

  test('[D4] forced_retry: a call that did not fit is made again in a shorter conversation, once; the window is learned', async () => {
    await using rig = await on(place)
    const model = refusing(1_000, (request) => (isSummary(request) ? SUMMARY : { text: `Yes. ${words(80)}` }))
    const one = rig.instance({ model, contextWindow: 0, compactAt: 0.8 })
    const { id } = await one.create()
    for (let at = 1; at <= 3; at++) await one.events(await one.send(id, `Question ${at}. ${words(80)}`))
    expect(await compactionsOf(one, id)).toEqual([])
    const events = await one.events(await one.send(id, `Question 4. ${words(300)}`))
    expect(dataOf(events, 'chat:end').status).toBe('completed')
    expect(events.filter(({ data }) => data['kind'] === 'compaction').at(-1)!.data).toMatchObject({
      trigger: 'forced_retry',
      status: 'completed',
    })
    const types = structure(events)
    expect(types.indexOf('turn:end system completed')).toBeLessThan(types.indexOf('turn:start assistant streaming'))
    expect(await rig.sql('SELECT model, context_window FROM model_windows')).toEqual([
      { model: 'scripted', context_window: 1_000 },
    ])
    expect(await rig.instance({ contextWindow: 0 }).sessions.contextStats({ user_id: 'user_1' }, id)).toMatchObject({
      context_window: 1_000,
      compaction_count: 1,
    })
    // [W7.2] What is known is shown, also by whoever has not met the refusal.
    const windows = async () => (await one.messages(id)).map(({ context_window }) => context_window)
    expect((await windows()).slice(-3)).toEqual([0, 1_000, 1_000])
    const two = rig.instance({ model, contextWindow: 0, compactAt: 0.8 })
    await two.events(await two.send(id, 'Question 5'))
    expect((await windows()).slice(-2)).toEqual([1_000, 1_000])
  })

  test.each(['goes on', 'is carried on'])(
    'the limit of sub-agents holds for a whole run, also after a compaction when the run %s',
    async (how) => {
      await using rig = await on(place)
      const forks = (nth: string) => Array.from({ length: 30 }, (_, at) => fork(`dig ${nth} ${at}`))
      const model = (request: ModelRequest): Reply => {
        if (isSummary(request)) return SUMMARY
        const said = textOf(request.messages)
        if (!said.includes('Start many')) return { text: 'Dug.', usage: null }
        if (said.includes('sub-agents already')) return { text: 'Done.', usage: null }
        if (said.includes('The summary.')) return { calls: forks('again'), usage: null }
        return { calls: round(request) === 0 ? forks('now') : [{ name: 'Read' }], usage: null }
      }
      const tools = scriptedTools({ Read: { run: () => words(900) } })
      const options = { model, tools, compactAt: 0.6, contextWindow: 2_000 }
      const one = how === 'goes on' ? rig.instance(options) : rig.frozenAt('after:C11', options)
      const two = rig.instance(options)
      const { id } = await one.create()
      const accepted = await one.send(id, 'Start many')
      if ('frozen' in one) {
        await one.frozen
        await rig.takeOver(id, two)
      }
      const events = await two.events(accepted)
      expect(dataOf(events, 'chat:end').status).toBe('completed')
      const results = (await two.messages(id)).flatMap(({ tool_calls }) =>
        tool_calls.map(({ result }) => String(result)),
      )
      expect(results.filter((result) => result === 'Dug.')).toHaveLength(50)
      expect(results.filter((result) => result.includes('50 sub-agents already'))).toHaveLength(10)
      expect((await compactionsOf(two, id)).length).toBeGreaterThan(0)
    },
  )

  test('forced_retry that would not shrink fails the run with context_overflow, and says so in history', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: (request) => {
        if (isSummary(request)) return { text: words(900) }
        return request.messages.length > 2
          ? { failure: { kind: 'overflow', message: 'too long' } }
          : { text: `Yes. ${words(20)}` }
      },
    })
    const { id } = await one.create()
    await one.events(await one.send(id, 'Question 1'))
    const events = await one.events(await one.send(id, 'Question 2'))
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } })
    const turns = await one.messages(id)
    expect(turns.slice(-2)).toMatchObject([
      { kind: 'compaction', status: 'failed', failure_reason: expect.stringContaining('would not shrink') },
      { kind: 'message', role: 'assistant', status: 'failed' },
    ])
    expect(turns.some(({ archived }) => archived)).toBe(false)
    expect(one.model.requests.filter((text) => !text.includes('<record>'))).toHaveLength(2)
  })

  test('forced_retry happens once: a second refusal ends the run', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: (request) => {
        if (isSummary(request)) return SUMMARY
        return textOf(request.messages).includes('Question 3')
          ? { failure: { kind: 'overflow', message: 'too long' } }
          : { text: `Yes. ${words(50)}` }
      },
    })
    const { id } = await one.create()
    for (const at of [1, 2]) await one.events(await one.send(id, `Question ${at}. ${words(50)}`))
    const events = await one.events(await one.send(id, 'Question 3'))
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } })
    expect(await compactionsOf(one, id)).toMatchObject([{ status: 'completed', trigger: 'forced_retry' }])
  })

  test('forced_retry after output was streamed: that turn ends as failed first, and the answer is another one', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: (request) => {
        if (isSummary(request)) return SUMMARY
        return textOf(request.messages).includes('Question 3') && !textOf(request.messages).includes('The summary.')
          ? { text: 'Half an', failure: { kind: 'overflow', message: 'too long' } }
          : { text: `Yes. ${words(50)}` }
      },
    })
    const { id } = await one.create()
    for (const at of [1, 2]) await one.events(await one.send(id, `Question ${at}. ${words(50)}`))
    const events = await one.events(await one.send(id, 'Question 3'))
    expect(dataOf(events, 'chat:end').status).toBe('completed')
    expect((await one.messages(id)).slice(-4)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', status: 'failed', failure_reason: 'context_overflow: too long' },
      { kind: 'compaction', status: 'completed', trigger: 'forced_retry' },
      { role: 'assistant', status: 'completed' },
    ])
    expect(await folded(one, id)).toEqual(await one.messages(id))
  })

  test('a sub-agent compacts its own loop, and the turn says whose', async () => {
    await using rig = await on(place)
    const isChild = ({ messages }: ModelRequest) => textOf(messages.slice(0, 1)).includes('dig')
    const one = rig.instance({
      model: refusing(1_000, (request) => {
        if (isSummary(request)) return SUMMARY
        if (!isChild(request)) return round(request) > 0 ? { text: 'All done.' } : { calls: [fork('dig')] }
        return one.model.requests.length < 9 ? { calls: [{ name: 'Read' }] } : { text: 'Dug.' }
      }),
      tools: scriptedTools({ Read: { run: () => words(150) } }),
      compactAt: 0.6,
    })
    const { id } = await one.create()
    const events = await one.events(await one.send(id, 'Start somebody'))
    expect(dataOf(events, 'chat:end').status).toBe('completed')
    const [compaction] = await compactionsOf(one, id)
    expect(compaction).toMatchObject({ loop_id: expect.stringMatching(/^agent:/), status: 'completed' })
    expect(compaction!.parent_fork_tool_call_id).toBe((await one.messages(id))[1]!.tool_calls[0]!.id)
    const child = one.model.requests.map((text) => JSON.parse(text) as ModelRequest).findLast(isChild)!
    expect(textOf(child.messages.slice(0, 1))).toContain('dig')
    expect(textOf(child.messages.slice(1, 2))).toContain('The summary.')
    expect((await one.messages(id)).filter(({ archived }) => archived).every(({ loop_id }) => loop_id !== 'root')).toBe(
      true,
    )
    expect(await folded(one, id)).toEqual(await one.messages(id))
  })

  test('[W10.8] a stop is heard while tokens are counted, however long that takes', async () => {
    await using rig = await on(place)
    const begun = Promise.withResolvers<void>()
    const one = rig.instance({
      model: () => ({ text: 'Never said.' }),
      compactAt: 0.5,
      count: () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    const { id } = await one.create()
    const accepted = await one.send(id, words(2_000))
    await begun.promise
    await one.stop(id)
    expect(dataOf(await one.events(accepted), 'chat:end').status).toBe('interrupted')
    expect(one.model.requests).toEqual([])
  })

  test('[D4] where cutting old and large results is enough, nothing is archived and no summary is made', async () => {
    await using rig = await on(place)
    const results = { first: words(7_000, 'first'), second: words(2_000, 'second'), third: words(2_000, 'third') }
    const one = rig.instance({
      model: (request) =>
        round(request) < 3
          ? { calls: [{ name: 'Read', arguments: { at: Object.keys(results)[round(request)]! } }], usage: null }
          : { text: 'Done.', usage: null },
      tools: scriptedTools({ Read: { run: (input) => results[(input as { at: keyof typeof results }).at] } }),
      compactAt: 0.45,
      contextWindow: 24_000,
    })
    const { id } = await one.create()
    await one.events(await one.send(id, 'Read three'))
    const [compaction] = await compactionsOf(one, id)
    const trimmed = { to: 1, characters: 4_000 }
    expect(compaction).toMatchObject({ status: 'completed', trigger: 'auto', archived_count: 0, trimmed })
    expect(compaction).toMatchObject({ summary_full: '', summary_preview: '', usage: null })
    expect(compaction!.tokens_after!).toBeLessThan(compaction!.tokens_before! / 2)
    expect(compaction!.saved_ratio).toBe(1 - compaction!.tokens_after! / compaction!.tokens_before!)
    expect(one.model.requests.filter((text) => text.includes('<record>'))).toEqual([])
    const given = requestAt(one, -1).messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
    expect(given[0]).toHaveLength(4_000 + '\n… (24000 characters were left out) …\n'.length)
    expect(given.slice(1)).toEqual([results.second, results.third])
    // People still read all of it.
    const turns = await one.messages(id)
    expect(turns.filter(({ archived }) => archived)).toEqual([])
    expect(turns[1]!.tool_calls[0]!.result).toBe(results.first)
    expect(await folded(one, id)).toEqual(turns)
    // Whoever goes on has the same bytes.
    const two = rig.instance({ model: () => ({ text: 'Yes.' }), contextWindow: 24_000 })
    await two.events(await two.send(id, 'And now?'))
    const before = requestAt(one, -1).messages
    expect(requestAt(two, -1).messages.slice(0, before.length)).toEqual(before)
  })

  test('auto that fails leaves the run as it was, and is not tried at every step', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: (request) => {
        if (isSummary(request)) return { failure: { message: 'no summaries' } }
        return round(request) < 6 ? { calls: [{ name: 'Read' }], usage: null } : { text: 'Done.' }
      },
      tools: scriptedTools({ Read: { run: () => words(200) } }),
      compactAt: 0.5,
    })
    const { id } = await one.create()
    const events = await one.events(await one.send(id, 'Read'))
    expect(dataOf(events, 'chat:end').status).toBe('completed')
    expect(await compactionsOf(one, id)).toMatchObject([{ status: 'failed', failure_reason: 'no summaries' }])
  })

  test('whoever carries a run on, after a crash at any step of its compaction, decides again and loses nothing', async () => {
    for (const point of ['before:C10', 'after:C10', 'before:C11', 'after:C11'] as const) {
      await using rig = await on(place)
      const model = (request: ModelRequest): Reply => (isSummary(request) ? SUMMARY : { text: `Yes. ${words(200)}` })
      const talker = rig.instance({ model })
      const { id } = await talker.create()
      for (let at = 1; at <= 3; at++) await talker.events(await talker.send(id, `Question ${at}`))
      const one = rig.frozenAt(point, { model, compactAt: 0.001 })
      const two = rig.instance({ model, compactAt: 0.001 })
      const accepted = await one.send(id, 'Question 4')
      await one.frozen
      await rig.takeOver(id, two)
      const events = await two.events(accepted)
      expect([point, dataOf(events, 'chat:end').status]).toEqual([point, 'completed'])
      const compactions = await compactionsOf(two, id)
      expect(compactions.filter(({ status }) => status === 'completed').length).toBeGreaterThan(0)
      expect(compactions.filter(({ status }) => status === 'failed').map((turn) => turn.failure_reason)).toEqual(
        point === 'after:C10' || point === 'before:C11' ? ['server_stopped'] : [],
      )
      expect(textOf(requestAt(two, -1).messages)).toContain('The summary.')
      expect(await folded(two, id)).toEqual(await two.messages(id))
      expect(rig.errors).toEqual([])
    }
  })
})

test('[D9] PARLEY_COMPACT_AT says from which share on, and what cannot be one is refused', async () => {
  expect(await loadConfig('/', { PARLEY_COMPACT_AT: '0.5' }, {})).toMatchObject({ compactAt: 0.5 })
  expect(await loadConfig('/', {}, {})).toMatchObject({ compactAt: 0.8 })
  await expect(loadConfig('/', { PARLEY_COMPACT_AT: '2' }, {})).rejects.toThrow('PARLEY_COMPACT_AT')
})
