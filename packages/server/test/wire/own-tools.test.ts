import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Confirmation } from '@parley/protocol'
import { defineTool } from '@parley/tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '../../src/config/load-config.ts'
import { mint } from '../auth/visitors.ts'
import { endOf, type Run } from './chat.ts'
import { World } from './world.ts'

let world: World
let asked = 0

beforeAll(async () => {
  process.env['SHOP_URL'] = 'postgres://shop'
  process.env['OPENAI_API_KEY'] = 'sk-secret'
  const { tools, toolsFile } = await loadConfig(join(import.meta.dirname, '../tools/own/workers'), {})
  const given = { tools, toolsFile }
  world = await World.open('sqlite', given)
})
afterAll(async () => {
  delete process.env['SHOP_URL']
  delete process.env['OPENAI_API_KEY']
  await world[Symbol.asyncDispose]()
})

/** A question that makes the model call these, and be content. */
function question(...calls: [name: string, input?: object][]): string {
  const text = `question ${++asked}`
  const made = calls.map(([name, input = {}]) => ({ name, arguments: input }))
  world.learn({ [text]: [{ calls: made }, { text: 'I see.' }] })
  return text
}

const callsOf = (run: Run) =>
  run.events.flatMap(({ name, payload }) => (name === 'turn:end' ? payload['tool_calls'] : [])) as {
    status: string
    result: unknown
  }[]

/** What becomes of one call, in a session of its own. */
async function ask(name: string, input: object = {}) {
  const text = question([name, input])
  await using chat = await world.chat()
  const run = await chat.run(text)
  expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'completed' })
  return { call: callsOf(run)[0]!, run, told: world.requests(text)[1]!.results[0]! }
}

describe('[W12.10] own tools', () => {
  test('are listed with what they declare, and offered with their schema', async () => {
    const { body } = await world.rest<{ items: { name: string; provider: string }[] }>('GET', '/api/tools')
    expect(body.items.find(({ name }) => name === 'add')).toEqual({
      name: 'add',
      display_name: 'Add',
      description: 'Adds two numbers.',
      provider: 'own',
      kind: 'own',
      policy: { decision: 'allow', by: 'risk', rule: null, exceptions: [], asks_for_hosts: false },
      used_today: 0,
      risk: 'low',
      requires_confirmation: false,
      read_only: true,
      replay: 'safe',
      status: 'ready',
      input: expect.objectContaining({ type: 'object', required: ['a', 'b'] }),
    })
    const { told } = await ask('add', { a: 20, b: 22 })
    expect(JSON.parse(told)).toEqual({ sum: 42 })
  })

  test('a call knows its session and its visitor, tells how far it is, and has the operator’s environment without our secrets', async () => {
    const { token } = await mint(world, 'customer 7')
    const text = question(['who', { why: 'asked' }])
    const session_id = await world.newSession({}, token)
    await using chat = await world.chat({ session_id, token })
    const run = await chat.run(text)
    const [call] = callsOf(run) as { id: string; status: string; result: unknown }[]
    expect(call!.status).toBe('done')
    expect(call!.result).toMatchObject({
      session_id,
      subject: 'customer 7',
      tool_call_id: call!.id,
      attempt: 1,
      workspace: join(world.dataDir, 'workspaces', session_id),
      SHOP_URL: 'postgres://shop',
      PARLEY_SECRET: null,
      OPENAI_API_KEY: null,
    })
    expect((call!.result as { pid: number }).pid).not.toBe(process.pid)
    const told = run.events.filter(({ name }) => name === 'system:notification').map(({ payload }) => payload)
    expect(told).toMatchObject([
      { notification_type: 'tool:progress', title: 'who', detail: '1 / 2 · looking, asked' },
      { notification_type: 'tool:progress', title: 'who', detail: '2 / 2 · there' },
    ])
    // The owner's own session has no visitor.
    expect(JSON.parse((await ask('who', { why: 'curious' })).told)).toMatchObject({ subject: null })
  })

  test.each([
    ['add', { a: 'one', b: 2 }, '/a must be number'],
    ['add', { a: 1 }, "arguments must have required property 'b'"],
    ['add', [1, 2], 'arguments must be object'],
    ['add', { a: 1, b: 13 }, 'b: must not be 13'],
    ['who', { why: 'bored' }, '/why must be equal to one of the allowed values'],
    ['who', { why: 'asked', more: 1 }, 'arguments must NOT have additional properties'],
  ])('%s with %j is refused in a sentence', async (name, input, problem) => {
    const { call } = await ask(name, input)
    expect(call).toMatchObject({
      status: 'error',
      result: `${name} was called with arguments that do not fit. ${problem}`,
    })
  })

  test('one of high risk asks a person first, but not about arguments that do not fit', async () => {
    const pending = async () =>
      (await world.rest<{ items: Confirmation[] }>('GET', '/api/confirmations?status=pending')).body.items
    expect((await ask('pay', { amount: 'all' })).call.status).toBe('error')
    const text = question(['pay', { amount: 7 }])
    await using chat = await world.chat()
    await chat.run(text)
    const items = await pending()
    expect(items).toMatchObject([{ tool_name: 'pay', arguments: { amount: 7 }, risk: 'high' }])
    expect(world.requests(text)).toHaveLength(1)
    const run = await chat.answer()
    expect(run.end.status).toBe('completed')
    expect(world.requests(text)[1]!.results).toEqual(['7'])
  })

  test('a stop aborts the call, which may still settle', async () => {
    const file = join(world.dataDir, 'wait.txt')
    const text = question(['wait', { file }])
    await using chat = await world.chat()
    const ack = await chat.send(text)
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toMatch(/^begun/)
    const at = performance.now()
    await chat.stop()
    expect((await chat.ended(ack)).end.status).toBe('interrupted')
    expect(performance.now() - at).toBeLessThan(2_000)
    await expect.poll(() => readFile(file, 'utf8')).toMatch(/aborted/)
  })

  test('a stop ends one that does not listen within 2 s, with its process', async () => {
    const file = join(world.dataDir, 'deaf.txt')
    await using chat = await world.chat()
    const ack = await chat.send(question(['ignores', { file }]))
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toMatch(/^begun \d+\n/)
    const at = performance.now()
    await chat.stop()
    expect((await chat.ended(ack)).end.status).toBe('interrupted')
    expect(performance.now() - at).toBeLessThan(2_000)
    const pid = Number((await readFile(file, 'utf8')).split(/\s/)[1])
    await expect.poll(() => isThere(pid)).toBe(false)
  })

  test('nine at once in a session are four processes: the others wait their turn, and a second round finds them warm', async () => {
    const text = question(...Array.from({ length: 9 }, (): [string] => ['nap']))
    await using chat = await world.chat()
    const run = await chat.run(text)
    const results = callsOf(run).map(({ result }) => result as number)
    expect(results).toHaveLength(9)
    expect(new Set(results).size).toBeLessThanOrEqual(4)
    const [again] = callsOf((await ask('nap')).run)
    expect(results).toContain(again!.result)
  })

  test('a session with much to do keeps no other one waiting', async () => {
    const text = question(...Array.from({ length: 40 }, (): [string] => ['nap']))
    await using greedy = await world.chat()
    const ack = await greedy.send(text)
    await greedy.told('add_tool_call')
    const at = performance.now()
    expect((await ask('add', { a: 1, b: 2 })).call).toMatchObject({ status: 'done', result: { sum: 3 } })
    // Forty naps of half a second, eight at a time, take longer than this; and four of them longer still.
    expect(greedy.received.some(({ name }) => name === 'chat:end')).toBe(false)
    expect(performance.now() - at).toBeLessThan(10_000)
    await greedy.stop()
    await greedy.ended(ack)
  })

  test('what a page gets of a result stays whole beside what is cut', async () => {
    const { run, told } = await ask('card')
    const card = endOf(run, 1).blocks.find(({ type }) => type === 'tool_ui')!.content as { resourceHTML: string }
    expect(card.resourceHTML.length).toBe(300_000)
    expect(told.length).toBeLessThan(101_000)
    expect(told).not.toContain('yyy')
  })
})

describe('[W12.10] [D7] a bad one harms its own call only', () => {
  const like = (text: string) => new RegExp(text)
  test.each([
    ['throws', 'error', /^the shop is closed$/],
    ['loops', 'error', like('^loops took longer than 1000 ms')],
    ['hangs', 'error', like('^hangs took longer than 1000 ms')],
    ['exits', 'error', like('^exits ended its process \\(exit code 0\\)')],
    ['fails_later', 'error', like('^fails_later threw where nobody could catch it: in a timer$')],
    ['forgets', 'error', like('^forgets threw where nobody could catch it: a promise that nobody awaits$')],
    ['recurses', 'error', like('call stack')],
    ['returns_50_mb', 'done', like('… 49900000 characters left out …')],
    ['lists_50_mb', 'done', like('characters left out')],
    ['returns_a_circle', 'error', like('no JSON: Converting circular structure')],
    ['returns_bigint', 'error', like('no JSON: .*BigInt')],
    ['returns_a_function', 'error', like('no JSON: it is a function')],
    ['returns_nothing', 'done', like('^null$')],
    ['nests', 'error', like('nests deeper than 100 levels')],
    ['fills_heap', 'error', like('more than (?:512|1024) MB')],
    ['fills_buffers', 'error', like('more than 1024 MB')],
    ['floods', 'error', like('^floods took longer than 2000 ms')],
    ['reports_too_often', 'done', like('^done$')],
    ['writes_no_json', 'error', like('^writes_no_json wrote into the channel between its process and the server')],
    ['closes_the_channel', 'error', like('^closes_the_channel ')],
    ['speaks_for_the_server', 'error', like('took longer than 1000 ms')],
  ] as const)('%s', async (name, status, result) => {
    const bad = question([name])
    const good = question(['add', { a: 1, b: 2 }])
    await using victim = await world.chat()
    await using other = await world.chat()
    const ack = await victim.send(bad)
    await victim.told('add_tool_call')
    const at = performance.now()
    expect(callsOf(await other.run(good))).toMatchObject([{ status: 'done', result: { sum: 3 } }])
    const tookMs = performance.now() - at
    const isEnd = ({ name: event }: { name: string }) => event === 'chat:end'
    await expect.poll(() => victim.received.some(isEnd)).toBe(true)
    const run = await victim.ended(ack)
    expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    const [call] = callsOf(run)
    expect(call!.status).toBe(status)
    expect(typeof call!.result === 'string' ? call!.result : JSON.stringify(call!.result)).toMatch(result)
    expect(JSON.stringify(call!.result).length).toBeLessThan(101_000)
    // Beside the worst of them, on a machine that others use too.
    expect(tookMs).toBeLessThan(10_000)
    expect(world.errors).toEqual([])
  })

  test('what a call left behind may throw: the next one in that process goes on', async () => {
    for (let round = 0; round < 5; round++) {
      expect((await ask('leaves_a_timer')).call).toMatchObject({ status: 'done', result: 'done' })
      expect((await ask('nap')).call).toMatchObject({ status: 'done' })
      expect((await ask('add', { a: 2, b: 2 })).call).toMatchObject({ status: 'done', result: { sum: 4 } })
    }
  })
})

test('[W12.10] given by the program that embeds the server they are its closures, and run in it, under the same rules', async () => {
  const seen: string[] = []
  const base = { description: 'Of a program.', input: z.object({ item: z.string().min(2) }) }
  await using own = await World.open('sqlite', {
    tools: [
      defineTool({
        ...base,
        name: 'note',
        run({ item }, { subject, progress }) {
          seen.push(item)
          progress('noted')
          return { pid: process.pid, subject }
        },
      }),
      defineTool({ ...base, name: 'hang', timeoutMs: 50, run: () => new Promise(() => undefined) }),
      defineTool({ ...base, name: 'much', run: () => 'x'.repeat(5_000_000) }),
    ],
  })
  const made = ['note', 'hang', 'much'].map((name) => ({ name, arguments: { item: 'tea' } }))
  own.learn({ go: [{ calls: [...made, { name: 'note', arguments: { item: 'x' } }] }, { text: 'I see.' }] })
  await using chat = await own.chat()
  const run = await chat.run('go')
  expect(callsOf(run).map(({ status, result }) => [status, JSON.stringify(result).slice(0, 60)])).toEqual([
    ['done', JSON.stringify({ pid: process.pid, subject: null })],
    ['error', '"hang took longer than 50 ms."'],
    ['done', expect.stringMatching(/^"x+$/)],
    ['error', expect.stringContaining('do not fit')],
  ])
  expect(seen).toEqual(['tea'])
  expect(JSON.stringify(run.events)).toContain('"detail":"noted"')
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
