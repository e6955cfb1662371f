import { describe, expect, test } from 'vitest'
import { aborted, scriptedTools } from '../loop/scripted.ts'
import { movablePlaces } from '../store/movable-clock.ts'
import { borrowed, choose, dataOf, inShort, type Instance, lastCall, LEASE_MS, Rig, type Told } from './rig.ts'

const HOUR = 3_600_000
/** One after another: by hours, by days, by small steps, forward and back. */
const JUMPS = [HOUR, -HOUR, 10 * 24 * HOUR, -10 * 24 * HOUR, LEASE_MS + 1, -LEASE_MS - 1, 900, -900, 365 * 24 * HOUR, 0]
const RECOVERED = 'notification run:recovered'

const question = {
  name: 'AskUserQuestion',
  arguments: { questions: [{ question: 'Which?', options: [{ label: 'this' }, { label: 'that' }] }] },
}

describe.each(movablePlaces)('[D3] a clock that is set, on %s', (kind, openPlace) => {
  /** Every jump hits the database's clock and both instances', and after each of them both look for what nobody keeps. */
  async function jumping(rig: Rig, instances: Instance[], set: (ms: number) => Promise<void>) {
    const epochs = () => rig.sql<{ epoch: number; owner: string }>('SELECT epoch, owner FROM gates')
    const before = await epochs()
    for (const ms of JUMPS) {
      await set(ms)
      for (const { runs } of instances) await runs.claimExpired()
    }
    expect(await epochs()).toEqual(before)
  }

  test.each(['text', 'tool', 'question'] as const)('in the middle of a %s changes no owner', async (moment) => {
    await using place = await openPlace()
    await using engine = await place.open({ leaseMs: LEASE_MS })
    await using other = kind === 'postgres' ? await place.open({ leaseMs: LEASE_MS }) : undefined
    await using rig = new Rig(place.at, borrowed(engine))
    await using elsewhere = new Rig(place.at, borrowed(other ?? engine))
    const time = { wall: 0, monotonic: 0 }
    const go = Promise.withResolvers<void>()
    const begun: string[] = []
    const tools = scriptedTools({
      Write: {
        run: async (_input, { tool_call_id }) => {
          begun.push(tool_call_id)
          if (begun.length === 1 && moment === 'tool') await go.promise
          return { result: 'written' }
        },
      },
    })
    const write = { name: 'Write' }
    const model = [
      { text: 'Half', ...(moment === 'text' && { until: go.promise }), calls: [write, write] },
      moment === 'question' ? { calls: [question] } : { calls: [write] },
      { text: 'Done' },
    ]
    const one = rig.instance({ model, tools, time })
    const two = elsewhere.instance({ name: 'two', model: [{ text: 'never asked' }], tools, time })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    const isThere = (event: Told) =>
      moment === 'question'
        ? event.type === 'session:updated'
        : moment === 'tool'
          ? event.type === 'run:tool_claim'
          : event.type === 'turn:patch'
    const seen = await one.until(accepted, isThere)
    await jumping(rig, [one, two], async (ms) => {
      await place.setClock(ms)
      time.wall = ms
    })
    go.resolve()
    const last = moment === 'question' ? await one.answer(id, choose(lastCall(seen))) : accepted
    const events = await one.events(last)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed', session_status: 'completed' })
    expect(inShort(events)).not.toContain(RECOVERED)
    expect(begun).toHaveLength(new Set(begun).size)
    expect(two.model.requests).toEqual([])
    const calls = (await one.messages(id)).flatMap(({ tool_calls }) => tool_calls)
    expect(calls.filter(({ status }) => status !== 'done')).toEqual([])
    for (const { duration_ms } of calls) expect(duration_ms ?? 0).toBeGreaterThanOrEqual(0)
    expect(rig.errors).toEqual([])
  })

  test('a lease is taken after it has stood still for its whole length by the claimer’s own clock, not before', async () => {
    await using place = await openPlace()
    await using engine = await place.open({ leaseMs: LEASE_MS })
    await using rig = new Rig(place.at, borrowed(engine))
    const dead = rig.frozenAt('after:C3', { model: [{ text: 'Half', until: new Promise(() => undefined) }] })
    const time = { wall: 0, monotonic: 0 }
    const two = rig.instance({ model: [{ text: 'Done' }], time })
    const { id } = await dead.create()
    const accepted = await dead.send(id, 'Hello')
    await dead.frozen
    const owner = async () => (await rig.sql<{ owner: string }>('SELECT owner FROM gates'))[0]!.owner
    const lookAfter = async (ms: number) => {
      time.monotonic += ms
      await two.runs.claimExpired()
      return owner()
    }
    expect(await lookAfter(100 * LEASE_MS)).toBe('instance_1') // seen for the first time
    await place.setClock(100 * HOUR)
    expect(await lookAfter(LEASE_MS - 2_000)).toBe('instance_1')
    await rig.sql('UPDATE gates SET lease_until = lease_until + 1') // a sign of life
    expect(await lookAfter(LEASE_MS - 2_000)).toBe('instance_1')
    await place.setClock(-100 * HOUR)
    expect(await lookAfter(LEASE_MS - 2_000)).toBe('instance_1')
    expect(await lookAfter(2_000)).toBe('instance_2')
    expect(dataOf(await two.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
  })
})

describe('[D3] one owner', () => {
  test('never claims what it works on itself, whatever the row says', async () => {
    await using rig = await Rig.open()
    const go = Promise.withResolvers<void>()
    const one = rig.instance({ model: [{ text: 'Half', until: go.promise }] })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ type }) => type === 'turn:patch')
    await rig.takeOver(id, one)
    expect(await rig.sql('SELECT epoch FROM gates')).toEqual([{ epoch: 1 }])
    go.resolve()
    expect(inShort(await one.events(accepted))).not.toContain(RECOVERED)
  })

  test('is replaced in the same process only after its work has ended', async () => {
    await using rig = await Rig.open()
    const order: string[] = []
    const tools = scriptedTools({
      Write: {
        run: async (_input, { signal }) => {
          order.push('old begins')
          await aborted(signal)
          for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
          order.push('old has ended')
          return { result: 'late' }
        },
      },
      Read: { run: () => String(order.push('new begins')) },
    })
    const one = rig.instance({
      model: [{ calls: [{ name: 'Write' }] }, { calls: [{ name: 'Read' }] }, { text: 'Done' }],
      tools,
    })
    const two = rig.instance({ model: [{ text: 'Carried on' }], tools })
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ type }) => type === 'run:tool_claim')
    // Another instance takes the run and ends it; the first one has not noticed when the next message reaches it.
    await rig.takeOver(id, two)
    await two.events(accepted)
    const again = await one.send(id, 'And now')
    expect(dataOf(await one.events(again), 'chat:end')).toMatchObject({ status: 'completed' })
    expect(order).toEqual(['old begins', 'old has ended', 'new begins'])
    expect(rig.errors).toEqual([])
  })

  test.each([
    ['returns what became of it', () => Promise.resolve()],
    ['is cut off', (signal: AbortSignal) => aborted(signal)],
  ])('stores nothing after a freeze: a tool that %s has an unknown outcome', async (_how, waits) => {
    await using rig = await Rig.open()
    const time = { wall: 0, monotonic: 0 }
    let begun = 0
    const tools = scriptedTools({
      Write: {
        run: async (_input, { signal }) => {
          begun++
          // What a process finds that was stopped for longer than its lease, before any of its timers has run.
          time.monotonic += LEASE_MS
          time.wall += LEASE_MS
          await waits(signal)
          return { result: 'Killed: the server stood still.', isError: true }
        },
      },
    })
    const one = rig.instance({ model: [{ calls: [{ name: 'Write' }] }, { text: 'Done' }], tools, time })
    one.runs.start()
    const { events, session_id } = await one.chat('Hello')
    expect(inShort(events)).toContain(RECOVERED)
    const [call] = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
    expect(call).toMatchObject({ status: 'error', result: expect.stringMatching(/^outcome unknown/) as string })
    expect(JSON.stringify(events)).not.toMatch(/stopped by shutdown|stood still/)
    expect(begun).toBe(1)
    expect(rig.errors).toEqual([])
  })

  test('that slept through its lease in the middle of text begins the answer anew, and nothing is doubled', async () => {
    await using rig = await Rig.open()
    const time = { wall: 0, monotonic: 0 }
    const one = rig.instance({
      model: [{ text: 'Half', until: new Promise(() => undefined) }, { text: 'Whole' }],
      time,
    })
    one.runs.start()
    const { id } = await one.create()
    const accepted = await one.send(id, 'Hello')
    await one.until(accepted, ({ type }) => type === 'turn:patch')
    time.monotonic += LEASE_MS
    const events = await one.events(accepted)
    expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'completed' })
    expect((await one.messages(id)).map(({ status, failure_reason }) => [status, failure_reason])).toEqual([
      ['completed', null],
      ['interrupted', 'server_stopped'],
      ['completed', null],
    ])
    expect(rig.errors).toEqual([])
  })
})
