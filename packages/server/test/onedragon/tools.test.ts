import { describe, expect, test } from 'vitest'
import { SUM_UP } from '../../src/core/run-loop.ts'
import { onedragonSchema } from '../../src/config/onedragon-options.ts'
import { agentCall, sharedWorld } from '../wire/world.ts'
import { answer, ask, type Frame, type Message } from './reader.ts'

const DEFAULTS = onedragonSchema.parse({})

const world = sharedWorld('sqlite', {
  policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})

const look = (name: string) => ({ name: 'Look', arguments: { name } })
const work = (name: string) => ({ name: 'Work', arguments: { name } })
const isResult = ({ message }: Frame) => message.role === 'system'

/** [O8] What a client shows in the end, by key. */
function itemsOf(frames: readonly Frame[]): Record<string, unknown> {
  const items: Record<string, Record<string, unknown>> = {}
  for (const { message, type } of frames.filter((frame) => frame.type.startsWith('message_')))
    for (const [index, block] of message.content.entries()) {
      if (block.type === 'text') items[`text_${message.id}_${index}`] = { text: block.text }
      // The earlier forms of a call are not acted on ([O6.2]).
      const key = `tool_${block.id}`
      if (block.type === 'tool_use' && type === 'message_completed')
        items[key] = { ...items[key], name: block.name, input: block.input }
      if (block.type === 'tool_result')
        items[key] = { ...items[key], state: block.is_error ? 'error' : 'done', output: block.output }
    }
  return items
}

/** [O9] `status item* error? response_completed`, messages one after the other, each completed once. */
function expectOrder(frames: readonly Frame[]): void {
  const types = frames.map(({ type }) => type)
  expect(types[0]).toBe('status')
  expect(types.at(-1)).toBe('response_completed')
  expect(types.slice(1, -1).join(' ')).toMatch(/^((message_update )*message_completed ?)*(error)?$/)
  const completed = new Set<string>()
  let open: string | undefined
  for (const { type, message } of frames.filter((frame) => frame.type.startsWith('message_'))) {
    expect(completed.has(message.id)).toBe(false)
    if (open !== undefined) expect(message.id).toBe(open)
    open = type === 'message_completed' ? undefined : message.id
    if (type === 'message_completed') completed.add(message.id)
  }
  expect(open).toBeUndefined()
}

describe('a round of tools', () => {
  test('[O9.2] [O9.3] [O8.1] is one message with all calls, one with all results, then the next answer', async () => {
    world().learn({
      'tools: two': [{ text: 'Let me see', calls: [look('tools:a'), look('tools:b')] }, { text: 'Both are fine' }],
    })
    world().gates.open('tools:a', 'A')
    world().gates.open('tools:b', 'B')
    const response = await answer(world(), { user_input: 'tools: two' })
    const [calls, results, last] = response.completed() as [Message, Message, Message]
    expectOrder(response.frames)
    const ids = calls.content.slice(1).map(({ id }) => id)
    expect(calls).toMatchObject({ name: 'OneDragon', role: 'assistant', metadata: null })
    expect(calls.content).toEqual([
      { type: 'text', text: 'Let me see' },
      { type: 'tool_use', id: ids[0], name: 'Look', input: { name: 'tools:a' } },
      { type: 'tool_use', id: ids[1], name: 'Look', input: { name: 'tools:b' } },
    ])
    expect(results).toMatchObject({ name: 'system', role: 'system', metadata: null })
    expect(results.content).toEqual([
      { type: 'tool_result', id: ids[0], name: 'Look', output: [{ type: 'text', text: 'A' }] },
      { type: 'tool_result', id: ids[1], name: 'Look', output: [{ type: 'text', text: 'B' }] },
    ])
    expect(last.content).toEqual([{ type: 'text', text: 'Both are fine' }])
    expect(new Set([calls.id, results.id, last.id]).size).toBe(3)
    expect(calls.timestamp <= results.timestamp && results.timestamp <= last.timestamp).toBe(true)
  })

  test('[O16.5] [OB5] a result is shown before the slower tool ends, in the order of the calls', async () => {
    world().learn({ 'tools: late': [{ calls: [look('late:1'), look('late:2')] }, { text: 'done' }] })
    const response = await ask(world(), { user_input: 'tools: late' })
    await Promise.all([world().gates.reached('late:1'), world().gates.reached('late:2')])
    world().gates.open('late:2', 'second')
    const early = await response.until(isResult)
    expect(early).toMatchObject({ type: 'message_update', message: { content: [{ output: [{ text: 'second' }] }] } })
    expect(early.message.content).toHaveLength(1)
    world().gates.open('late:1', 'first')
    await response.done
    expectOrder(response.frames)
    const all = response.frames.filter(isResult).at(-1)!
    expect(all.type).toBe('message_completed')
    expect(all.message.id).toBe(early.message.id)
    expect(all.message.content.map(({ output }) => output![0]!.text)).toEqual(['first', 'second'])
  })

  test('[O6.3] a failed tool is a result that says so, and the run goes on', async () => {
    world().learn({
      'tools: broken': [{ calls: [{ name: 'Break', arguments: { why: 'rust' } }] }, { text: 'It broke' }],
    })
    const response = await answer(world(), { user_input: 'tools: broken' })
    expect(response.trace.filter((line) => !line.startsWith('message_update'))).toEqual([
      'status(connected)',
      'message_completed(Break {"why":"rust"})',
      'message_completed(✗ Error: it broke: rust)',
      'message_completed(It broke)',
      'response_completed',
    ])
  })

  test('[O8.5] ids of calls differ also when the model repeats its own', async () => {
    const call = { id: 'same', ...look('same') }
    world().gates.open('same', 'ok')
    world().learn({ 'tools: same': [{ calls: [call] }, { calls: [call] }, { text: 'done' }] })
    const response = await answer(world(), { user_input: 'tools: same' })
    const ids = response
      .completed()
      .flatMap(({ content }) => content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])))
    expect(new Set(ids).size).toBe(2)
  })

  test('the steps of a sub-agent are not shown, only its call and its result', async () => {
    world().learn({
      'tools: fork': [{ calls: [agentCall('tools: inside')] }, { text: 'The sub-agent is done' }],
      'tools: inside': [{ text: 'inner words' }],
    })
    const response = await answer(world(), { user_input: 'tools: fork' })
    expectOrder(response.frames)
    expect(response.completed().map(({ role }) => role)).toEqual(['assistant', 'system', 'assistant'])
    expect(response.completed()[1]!.content[0]!.output![0]!.text).toBe('inner words')
  })

  test('[O16.4] [O8.2] [O8.3] [O8] all frames give the same items as the completed ones alone', async () => {
    world().learn({
      'tools: items': [
        {
          text: 'first some words',
          chunkDelayMs: 60,
          calls: [look('items:1'), { name: 'Break', arguments: { why: 'x' } }],
        },
        { text: 'then some more words', chunkDelayMs: 60 },
      ],
    })
    world().gates.open('items:1', 'ok')
    const { frames } = await answer(world(), { user_input: 'tools: items' })
    expect(frames.some(({ type }) => type === 'message_update')).toBe(true)
    expect(itemsOf(frames)).toEqual(itemsOf(frames.filter(({ type }) => type === 'message_completed')))
  })
})

describe('interruption', () => {
  test('[O16.8] [OB12] [O12.2] a call that was cut off has a result in the history of the next request, and no frame appears there', async () => {
    world().learn({
      'cut: tool': [{ text: 'working', calls: [work('cut:1')] }],
      'cut: next': [{ text: 'Hello again' }],
    })
    const leaving = new AbortController()
    const response = await ask(world(), { user_input: 'cut: tool' }, { signal: leaving.signal })
    await world().gates.reached('cut:1')
    leaving.abort()
    const { session_id } = response
    const next = await answer(world(), { user_input: 'cut: next', session_id })
    expect(next.completed().map(({ content }) => content)).toEqual([[{ type: 'text', text: 'Hello again' }]])
    const [request] = world().requests('cut: next')
    expect(request!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(JSON.stringify(request!.messages)).toContain('working')
    expect(JSON.stringify(request!.messages[2])).toContain('The tool call has been interrupted by the user.')
    const stored = (await world().messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
    expect(stored).toMatchObject([
      { status: 'cancelled', result: 'The tool call has been interrupted by the user.', pending_question_ref: null },
    ])
  })

  test('[O11.2] a run that somebody else stops ends its message and its calls, then the response', async () => {
    world().learn({ 'cut: elsewhere': [{ calls: [work('cut:2')] }] })
    const response = await ask(world(), { user_input: 'cut: elsewhere' })
    await world().gates.reached('cut:2')
    await using chat = await world().chat({ session_id: response.session_id })
    await chat.stop()
    await response.done
    expectOrder(response.frames)
    expect(response.trace.slice(-2)).toEqual([
      'message_completed(✗ The tool call has been interrupted by the user.)',
      'response_completed',
    ])
  })
})

describe('[O16.9] [O12.3] one response at a time', () => {
  test('[O2.6] while a connection is open its session is busy; other sessions are not', async () => {
    world().learn({
      'busy: first': [{ calls: [work('busy:1')] }, { text: 'first done' }],
      'busy: second': [{ text: 'not yet' }],
      'busy: other': [{ text: 'other session' }],
    })
    const first = await ask(world(), { user_input: 'busy: first' })
    await world().gates.reached('busy:1')
    const { session_id } = first
    await expect(ask(world(), { user_input: 'busy: second', session_id })).rejects.toThrow(
      JSON.stringify({ detail: `Session is busy: ${session_id}`, message: `Session is busy: ${session_id}` }),
    )
    const other = await answer(world(), { user_input: 'busy: other' })
    world().gates.open('busy:1')
    await first.done
    expect(first.raw).not.toContain('other session')
    expect(other.raw).not.toContain('first')
    expect(world().requests('busy: second')).toHaveLength(0)
  })

  test('a request right behind a closed connection waits until the old answer has wound down', async () => {
    world().learn({
      'wind: old': [{ calls: [{ name: 'Deaf', arguments: { name: 'wind:1' } }] }],
      'wind: new': [{ text: 'new' }],
    })
    const leaving = new AbortController()
    const old = await ask(world(), { user_input: 'wind: old' }, { signal: leaving.signal })
    await world().gates.reached('wind:1')
    const { session_id } = old
    const next = ask(world(), { user_input: 'wind: new', session_id })
    leaving.abort()
    const response = await next
    await response.done
    expect(response.completed().map(({ content }) => content)).toEqual([[{ type: 'text', text: 'new' }]])
  })

  test('of two at once one runs', async () => {
    world().learn({ 'race: begin': [{ text: 'ok' }], 'race: two': [{ text: 'won', delayMs: 1_000 }] })
    const { session_id } = await answer(world(), { user_input: 'race: begin' })
    const both = await Promise.allSettled([1, 2].map(() => answer(world(), { user_input: 'race: two', session_id })))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(world().requests('race: two')).toHaveLength(1)
  })
})

describe('what needs consent', () => {
  const bash = { name: 'Bash', arguments: { command: 'rm -rf build' } }

  test('[D5] is said in words, never run by words, and withdrawn by the next message', async () => {
    world().learn({ 'consent: ask': [{ text: 'I will clean up', calls: [bash] }], yes: [{ text: 'Nothing was run' }] })
    const response = await answer(world(), { user_input: 'consent: ask' })
    expectOrder(response.frames)
    const [calls, results, notice] = response.completed() as [Message, Message, Message]
    expect(response.completed()).toHaveLength(3)
    expect(calls.content.map(({ type }) => type)).toEqual(['text', 'tool_use'])
    expect(results.content).toMatchObject([
      { is_error: true, output: [{ text: expect.stringContaining('waits for consent') }] },
    ])
    expect(notice.content[0]!.text).toContain('rm -rf build')
    const { session_id } = response
    const next = await answer(world(), { user_input: 'yes', session_id })
    expect(next.completed().map(({ content }) => content)).toEqual([[{ type: 'text', text: 'Nothing was run' }]])
    expect(JSON.stringify(await world().messages(session_id))).not.toContain('ran rm')
  })

  test('[D5] can be agreed to elsewhere, and what then happens stands in the session', async () => {
    world().learn({ 'consent: elsewhere': [{ calls: [bash] }, { text: 'Cleaned' }] })
    const { session_id } = await answer(world(), { user_input: 'consent: elsewhere' })
    await using chat = await world().chat({ session_id })
    await chat.answer()
    expect(JSON.stringify(await world().messages(session_id))).toContain('ran rm -rf build')
  })
})

describe('[O9] the iteration limit', () => {
  const limited = sharedWorld('sqlite', { maxTurns: 2, faces: { onedragon: { ...DEFAULTS, maxTurns: 3 } } })

  test('after so many model calls one more, without tools, sums up; calls that it makes all the same are not run', async () => {
    limited().gates.open('again', 'ok')
    limited().learn({
      'limit: on and on': () => ({ text: 'one more', calls: [look('again')] }),
      [SUM_UP]: () => ({ text: 'This is what I found', calls: [look('again')] }),
      'limit: next': [{ text: 'on with it' }],
    })
    const response = await answer(limited(), { user_input: 'limit: on and on' })
    expectOrder(response.frames)
    const round = ['assistant', 'system']
    expect(response.completed().map(({ role }) => role)).toEqual([...round, ...round, ...round, 'assistant'])
    expect(response.completed().at(-1)!.content).toEqual([{ type: 'text', text: 'This is what I found' }])
    const [closing] = limited().requests(SUM_UP)
    expect(closing!.tools).toEqual([])
    expect(limited().requests('limit: on and on')).toHaveLength(3)
    const { session_id } = response
    const next = await answer(limited(), { user_input: 'limit: next', session_id })
    expect(next.completed().map(({ content }) => content)).toEqual([[{ type: 'text', text: 'on with it' }]])
    expect(limited().requests('limit: next')[0]!.tools).toContain('Look')
  })
})
