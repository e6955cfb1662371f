import { hostname } from 'node:os'
import type { RecordedEvent, RecordedEvents, RunPage } from '@parley/protocol/rest'
import { emptyProjection, isEventName, reduce, type SessionEvent } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import { ANSWER_BYTES, EVENT_BYTES } from '../../src/run-history/event-rows.ts'
import { pruneEvents } from '../../src/store/prune.ts'
import { mint } from '../auth/visitors.ts'
import { askDatabase } from './beside.ts'
import { askCall, sharedWorld, STORES, type World } from './world.ts'

const runsOf = async (world: World, id: string, query = '') =>
  (await world.rest<RunPage>('GET', `/api/sessions/${id}/runs${query}`)).body

const eventsOf = async (world: World, id: string, query = '') =>
  (await world.rest<RecordedEvents>('GET', `/api/sessions/${id}/events?${query}`)).body

/** Page after page, as `next` says. */
async function allEvents(world: World, id: string, query: string): Promise<RecordedEvent[]> {
  const items: RecordedEvent[] = []
  for (let after: number | null = 0; after !== null;) {
    const page: RecordedEvents = await eventsOf(world, id, `${query}&after=${after}`)
    items.push(...page.items)
    after = page.next
  }
  return items
}

const named = (events: readonly RecordedEvent[], type: string) => events.filter((event) => event.type === type)

const me = `${hostname()}:${process.pid}`

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W11.8] a fresh run says whose it is, in the commit that accepts it', async () => {
    world().learn({ 'whose run': [{ text: 'Mine.' }] })
    await using chat = await world().chat()
    const { ack } = await chat.run('whose run')
    const events = await allEvents(world(), chat.session_id, 'hidden=1')
    const [start] = named(events, 'chat:start')
    const owners = named(events, 'run:owner')
    expect(owners.map(({ data, run_id }) => [data, run_id])).toEqual([
      [{ epoch: 1, instance: me, cause: 'accepted' }, ack.run_id],
    ])
    expect(owners[0]!.at, 'one append').toBe(start!.at)
    expect(chat.received.map(({ name }) => name)).not.toContain('run:owner')
  })

  test('[W11.8] runs are told the newest first, with what came of them, page by page', async () => {
    world().learn({
      'first run': [{ text: 'One.', usage: { input: 7, output: 3 } }],
      'second run': [{ error: { status: 401 } }],
      'third run': [{ calls: [askCall()] }, { text: 'Staging, then.' }],
    })
    await using chat = await world().chat()
    const first = await chat.run('first run')
    const second = await chat.run('second run')
    const third = await chat.run('third run')
    const [waiting] = (await runsOf(world(), chat.session_id)).items
    expect(waiting).toMatchObject({ run_id: third.ack.run_id, status: 'waiting', ended_at: null })
    const fourth = await chat.answer()
    const { items, total } = await runsOf(world(), chat.session_id)
    expect(total).toBe(4)
    const about = { model: 'fake-model', takeovers: 0 }
    expect(items).toMatchObject([
      { ...about, run_id: fourth.ack.run_id, status: 'completed', continues: third.ack.run_id, waited_ms: 0 },
      { ...about, run_id: third.ack.run_id, status: 'completed', continues: null },
      { ...about, run_id: second.ack.run_id, status: 'failed', finish_reason: null, usage: null, continues: null },
      { ...about, run_id: first.ack.run_id, status: 'completed', finish_reason: 'completed', waited_ms: 0 },
    ])
    expect(items[3]!.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 })
    const [answered, asked] = items
    const wait = Date.parse(answered!.started_at) - Date.parse(asked!.ended_at!)
    expect(Math.abs(wait), 'it waited until the answer').toBeLessThan(1_000)
    expect(asked!.waited_ms).toBeGreaterThanOrEqual(0)
    const page = await runsOf(world(), chat.session_id, '?limit=2&offset=1')
    expect([page.items, page.total]).toEqual([items.slice(1, 3), 4])
  })

  test('[W11.8] the record of a run, folded, is what people see; hidden events are there when asked for', async () => {
    world().learn({
      'before it': [{ text: 'Earlier.' }],
      'look around': [{ calls: [{ name: 'Bash', arguments: { command: 'ls' } }] }, { text: 'Two files.' }],
    })
    await using chat = await world().chat()
    await chat.run('before it')
    const { ack } = await chat.run('look around')
    const at = `run_id=${ack.run_id}`
    const shown = await allEvents(world(), chat.session_id, `${at}&limit=3`)
    expect(shown.map(({ event_seq }) => event_seq)).toEqual(
      (await eventsOf(world(), chat.session_id, at)).items.map(({ event_seq }) => event_seq),
    )
    expect(shown.every(({ type, run_id }) => isEventName(type) && run_id === ack.run_id)).toBe(true)
    const { session_id } = chat
    const folded = shown
      .map(({ type, event_seq, data }) => ({ name: type, payload: { session_id, event_seq, ...data } }) as SessionEvent)
      .reduce(reduce, emptyProjection)
    const turns = (await chat.messages()).filter(({ run_id }) => run_id === ack.run_id)
    expect(folded.turns.map(({ turn_id, blocks, tool_calls }) => [turn_id, blocks, tool_calls])).toEqual(
      turns.map(({ turn_id, blocks, tool_calls }) => [turn_id, blocks, tool_calls]),
    )
    const all = await allEvents(world(), session_id, `${at}&hidden=1`)
    const hidden = all.filter(({ type }) => !isEventName(type)).map(({ type }) => type)
    expect(new Set(hidden)).toEqual(
      new Set(['run:owner', 'run:model_call', 'run:model_input', 'run:answer', 'run:tool_claim']),
    )
    expect(named(all, 'run:model_input')[0]!.data).not.toHaveProperty('input')
    const full = await allEvents(world(), session_id, `${at}&hidden=full`)
    expect(named(full, 'run:model_input')[0]!.data).toMatchObject({ input: { messages: [{}, {}, { role: 'user' }] } })
    const whole = await eventsOf(world(), session_id, 'hidden=1')
    expect(whole.items.length).toBeGreaterThan(all.length)
    expect(whole).toMatchObject({ next: null, limited_by: null, floor: 0, head: whole.items.at(-1)!.event_seq })
  })

  test('[W11.8] an answer has a length; what is too long says how long it is', async () => {
    world().learn({ 'a word': [{ text: 'A word.' }] })
    await using chat = await world().chat()
    const { ack } = await chat.run('a word')
    const { head } = await eventsOf(world(), chat.session_id)
    const long = (place: number, length: number) =>
      askDatabase(
        world(),
        `INSERT INTO events (session_id, event_seq, at, run_id, type, data)
          VALUES ('${chat.session_id}', ${head + place}, 1, '${ack.run_id}', 'system:notification', '{"title":"${'x'.repeat(length)}"}')`,
      )
    for (const place of [1, 2, 3]) await long(place, 0.9 * EVENT_BYTES)
    await long(4, EVENT_BYTES)
    const page = await eventsOf(world(), chat.session_id, `after=${head}`)
    expect(page).toMatchObject({ limited_by: 'bytes', next: head + 2 })
    expect(JSON.stringify(page).length).toBeLessThan(ANSWER_BYTES + 10_000)
    const rest = await eventsOf(world(), chat.session_id, `after=${page.next}`)
    expect(rest.items.map(({ data, data_bytes }) => [data !== null, data_bytes])).toEqual([
      [true, undefined],
      [false, EVENT_BYTES + 12],
    ])
    expect(await eventsOf(world(), chat.session_id, 'limit=1')).toMatchObject({ limited_by: 'count' })
  })

  test('[W11.8] what was pruned is said by the floor, and the rest is there', async () => {
    world().learn({ 'prune me': [{ text: 'Words that will be pruned.' }] })
    await using chat = await world().chat()
    await chat.run('prune me')
    const before = await eventsOf(world(), chat.session_id)
    await world().stop()
    const { dataDir, databaseUrl } = world()
    {
      await using engine = await openStore(withDefaults({ dataDir, ...(databaseUrl && { databaseUrl }) }))
      await engine.write(() => pruneEvents(chat.session_id, Date.now() + 1_000))
    }
    await world().start()
    const after = await eventsOf(world(), chat.session_id)
    expect(after.floor).toBe(before.head)
    expect(after.items.length).toBeLessThan(before.items.length)
    expect(after.items).toEqual(before.items.filter(({ data }) => !JSON.stringify(data).includes('"text_delta"')))
  })

  test('[W11.8] it is the account’s to read; parameters are checked, and what is not there is not found', async () => {
    world().learn({ 'mine to read': [{ text: 'Yes.' }] })
    await using chat = await world().chat()
    await chat.run('mine to read')
    const visitor = await mint(world(), 'grace')
    const other = await world().newSession()
    const [run] = (await runsOf(world(), chat.session_id)).items
    for (const name of ['runs', 'events']) {
      const path = `/api/sessions/${chat.session_id}/${name}`
      expect(await world().rest('GET', path, { token: visitor.token })).toMatchObject({ status: 403 })
      expect(await world().rest('GET', path, { token: world().strangersKey })).toMatchObject({ status: 404 })
      expect(await world().rest('GET', path, { token: null })).toMatchObject({ status: 401 })
      expect(await world().rest('GET', `${path}?limit=0`)).toMatchObject({ status: 422 })
      expect(await world().rest('GET', `${path}?colour=red`)).toMatchObject({ status: 422 })
      expect(await world().rest('GET', `/api/sessions/${other}/${name}`)).toMatchObject({ body: { items: [] } })
    }
    const events = `/api/sessions/${chat.session_id}/events`
    for (const query of ['limit=1001', 'hidden=yes', 'after=-1', 'after=x'])
      expect((await world().rest('GET', `${events}?${query}`)).status, query).toBe(422)
    expect(await world().rest('GET', `${events}?run_id=run_none`)).toMatchObject({ body: { code: 'not_found' } })
    const elsewhere = `/api/sessions/${other}/events?run_id=${run!.run_id}`
    expect(await world().rest('GET', elsewhere), 'a run of another session').toMatchObject({ status: 404 })
  })

  test('[D7] what only the record holds is masked like everything that leaves', async () => {
    const value = 'canary-of-the-record-4711'
    world().learn({
      'tell the value': [
        { calls: [{ name: 'Bash', arguments: { command: `echo ${value}` } }] },
        { text: `It is ${value}.` },
      ],
    })
    await using chat = await world().chat()
    await chat.run('tell the value', { runtime_env: { DOOR: value } })
    const all = await allEvents(world(), chat.session_id, 'hidden=full')
    const [hidden, told] = [all.filter(({ type }) => !isEventName(type)), all.filter(({ type }) => isEventName(type))]
    expect(JSON.stringify(hidden)).toContain('[secret]')
    expect(JSON.stringify(hidden)).not.toContain(value)
    expect(JSON.stringify(told), 'as the messages show it').toContain(value)
  })

  test('[W11.8] a journal from before owners were told is read, and carried on', async () => {
    world().learn({ 'old journal': [{ text: 'Old.' }], 'goes on': [{ text: 'New.' }] })
    await using chat = await world().chat()
    await chat.run('old journal')
    await askDatabase(world(), `DELETE FROM events WHERE session_id = '${chat.session_id}' AND type = 'run:owner'`)
    await chat.run('goes on')
    const events = await allEvents(world(), chat.session_id, 'hidden=1')
    expect(named(events, 'run:owner').map(({ data }) => data)).toMatchObject([{ epoch: 2, cause: 'accepted' }])
    expect((await runsOf(world(), chat.session_id)).items.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ])
  })
})
