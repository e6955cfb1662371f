import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendEvents } from '../../src/store/append.ts'
import { beginRun, handBack, type Lease } from '../../src/store/gate.ts'
import { pruneEvents } from '../../src/store/prune.ts'
import { deleteSessionRows } from '../../src/store/session-rows.ts'
import {
  collect,
  firstPage,
  increment,
  journalOf,
  newSession,
  oneTo,
  running,
  seize,
  runRow,
  stored,
  structural,
  textOf,
} from './fixtures.ts'
import { places } from './place.ts'

describe.each(places)('the journal on %s', (_name, makePlace) => {
  test('[D2.4] numbers events from 1 without gaps, also when writers race', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    await Promise.all(oneTo(40).map((n) => journal.append(session, null, [structural(`${n}a`), increment(`${n}b`)])))
    const events = await stored(engine, session)
    expect(events.map((event) => event.event_seq)).toEqual(oneTo(80))
    // An append is never torn apart.
    for (let index = 0; index < 80; index += 2)
      expect(textOf(events[index]!).slice(0, -1)).toBe(textOf(events[index + 1]!).slice(0, -1))
  })

  test('[D2.7] reading order is commit order: what follow yields is what REST would read, in the same order', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const reading = collect(journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 100)
    for (const n of oneTo(20))
      await Promise.all(oneTo(5).map((k) => journal.append(session, null, [structural(`${n}.${k}`)])))
    expect((await reading).map(({ event_seq }) => event_seq)).toEqual(oneTo(100))
    expect(await reading).toEqual(await stored(engine, session))
  })

  test('[D2.2] a stale epoch writes nothing', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const lease = await engine.write(() => beginRun({ session_id: session, run_id: 'chat_1' }, 'one', -1))
    await journal.append(session, lease!.epoch, [structural('mine')])
    const taken = await seize(engine, lease!, 'two')
    expect(taken).toMatchObject({ epoch: lease!.epoch + 1 })
    await expect(journal.append(session, lease!.epoch, [structural('too late')])).rejects.toMatchObject({
      code: 'fenced',
    })
    await journal.append(session, taken!.epoch, [structural('theirs')])
    expect((await stored(engine, session)).map(textOf)).toEqual(['mine', 'theirs'])
  })

  test('[D2.5] one stale session in a group of 50 harms nobody', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const leases = await Promise.all(oneTo(50).map(() => running(engine)))
    await seize(engine, leases[24]!, 'two')
    const outcomes = await Promise.allSettled(
      leases.map(({ session_id, epoch }) => journal.append(session_id, epoch, [structural('x')])),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(oneTo(50).map((n) => (n === 25 ? 'rejected' : 'fulfilled')))
  })

  test('[D2.2] an owner and the one it replaced append at once, among others: the new one’s is stored, the old one’s fenced', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const [old, other] = [await running(engine), await running(engine)]
    const taken = (await seize(engine, old, 'two'))!
    const say = ({ session_id, epoch }: Lease, text: string) => journal.append(session_id, epoch, [increment(text)])
    const [late, next, beside] = await Promise.allSettled([say(old, 'late'), say(taken, 'next'), say(other, 'beside')])
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'fenced' } })
    expect(next).toMatchObject({ status: 'fulfilled', value: { head: 10_001 } })
    expect(beside).toMatchObject({ status: 'fulfilled', value: { head: 1 } })
    expect((await stored(engine, old.session_id)).map(textOf)).toEqual(['next'])
  })

  test('a work that throws takes back its own writes and nobody else’s', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const session = await newSession(engine)
    const other = await newSession(engine)
    const journal = journalOf(engine)
    const failing = engine.write(function* () {
      yield* appendEvents(journal.appending(session, null, [structural('never')]))
      throw new Error('changed my mind')
    })
    const [failed] = await Promise.all([
      failing.catch((error: Error) => error.message),
      journal.append(other, null, [structural('stays')]),
    ])
    expect(failed).toBe('changed my mind')
    expect(await stored(engine, session)).toEqual([])
    expect((await stored(engine, other)).map(textOf)).toEqual(['stays'])
  })

  test('[D2.4] a take-over skips 10 000 numbers, and a reader inside the gap is told to resync', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const lease = (await engine.write(() => beginRun({ session_id: session, run_id: 'chat_1' }, 'one', -1)))!
    await journal.append(
      session,
      lease.epoch,
      oneTo(3).map((n) => structural(`${n}`)),
    )
    const taken = (await seize(engine, lease, 'two'))!
    await journal.append(session, taken.epoch, [structural('after')])
    await journal.append(session, taken.epoch, [structural('and on')])
    expect((await stored(engine, session)).map(({ event_seq }) => event_seq)).toEqual([1, 2, 3, 10_004, 10_005])
    for (const since of [4, 5_000, 10_003, 10_006, 99_999, -1])
      await expect(firstPage(journal, session, since)).rejects.toMatchObject({ code: 'resync' })
    expect((await firstPage(journal, session, 3)).map(textOf)).toEqual(['after', 'and on'])
    expect((await firstPage(journal, session, 10_004)).map(textOf)).toEqual(['and on'])
  })

  test('[D2.4] a live reader sees the events on both sides of a take-over', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const lease = (await engine.write(() => beginRun({ session_id: session, run_id: 'chat_1' }, 'one', -1)))!
    const reading = collect(journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000), maxLag: 100 }), 4)
    await journal.append(session, lease.epoch, [structural('a'), structural('b')])
    await engine.write(() => handBack(lease))
    const taken = (await seize(engine, { ...lease, epoch: lease.epoch + 1 }, 'two'))!
    await journal.append(session, taken.epoch, [structural('c')])
    await journal.append(session, taken.epoch, [structural('d')])
    expect((await reading).map(textOf)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('[D2.6] a reader from below the floor is told to resync; nothing of an active run is pruned', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    await journal.append(
      session,
      null,
      oneTo(10).map((n) => increment(`${n}`)),
    )
    await engine.write(() => runRow(session, 'chat_1', 8))
    const far = Date.now() + 3_600_000
    expect(await engine.write(() => pruneEvents(session, far))).toBe(7)
    expect(await engine.write(() => pruneEvents(session, far))).toBe(0)
    await expect(firstPage(journal, session, 6)).rejects.toMatchObject({ code: 'resync' })
    expect((await firstPage(journal, session, 7)).map(({ event_seq }) => event_seq)).toEqual([8, 9, 10])
  })

  test('[D2.6] only text increments are pruned: what tells what happened stays', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const hidden = { ...structural('hidden'), type: 'run:model_input' }
    const patch = (text: string, data: object) => ({ ...increment(text), data: JSON.stringify({ text, ...data }) })
    const said = increment('a')
    // Results and cards are stored as they are, and may look like anything.
    const result = patch('result', { patch_type: 'tool_result', data: { result: JSON.parse(said.data) as object } })
    const card = { type: 'tool_ui', content: JSON.parse(said.data) as object }
    const shown = patch('card', { patch_type: 'add_content', data: card })
    await journal.append(session, null, [structural('start'), hidden, said, increment('"text_delta":"'), result, shown])
    expect(await engine.write(() => pruneEvents(session, Date.now() + 3_600_000))).toBe(2)
    expect((await stored(engine, session)).map(textOf)).toEqual(['start', 'hidden', 'result', 'card'])
  })

  test('[D2.7] a reader that pauses while its events are pruned is told to resync, not led over the hole', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    await journal.append(session, null, [structural('seen')])
    const pages = journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000) })
    await pages.next()
    for (const n of oneTo(300)) await journal.append(session, null, [structural(`missed ${n}`)])
    await engine.write(() => pruneEvents(session, Date.now() + 3_600_000))
    await expect(pages.next()).rejects.toMatchObject({ code: 'resync' })
  })

  test('[D2.7] a reader too far behind is told to resync', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    await journal.append(
      session,
      null,
      oneTo(50).map((n) => structural(`${n}`)),
    )
    const signal = AbortSignal.timeout(45_000)
    await expect(journal.follow(session, { since: 0, signal, maxLag: 49 }).next()).rejects.toMatchObject({
      code: 'resync',
    })
    expect((await journal.follow(session, { since: 0, signal, maxLag: 50 }).next()).value).toHaveLength(50)
  })

  test('[D2.4] time never goes back within a session', async () => {
    await using place = await makePlace()
    let now = 2_000_000_000_000
    await using engine = await place.open({ now: () => now })
    const journal = journalOf(engine)
    const session = await newSession(engine)
    for (const at of [2_000_000_000_000, 1_999_999_999_000, 2_000_000_000_500]) {
      now = at
      await journal.append(session, null, [structural(`${at}`)])
    }
    const times = (await stored(engine, session)).map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    if (place.kind === 'sqlite') expect(times).toEqual([2_000_000_000_000, 2_000_000_000_000, 2_000_000_000_500])
  })

  test('[D6] deleting a session fences its owner and ends its readers', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const lease = (await engine.write(() => beginRun({ session_id: session, run_id: 'chat_1' }, 'one', 10_000)))!
    await journal.append(session, lease.epoch, [structural('x')])
    const reading = collect(journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 2)
    await engine.write(() => deleteSessionRows(engine, session, []))
    engine.hub.deleted(session)
    await expect(journal.append(session, lease.epoch, [structural('y')])).rejects.toMatchObject({ code: 'fenced' })
    await expect(journal.append(session, null, [structural('y')])).rejects.toMatchObject({ code: 'session_gone' })
    expect(await reading).toHaveLength(1)
    expect(await stored(engine, session)).toEqual([])
  })

  test('[D2.6] turn rows are written with their events, replaced by later ones, and paged from either end', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const row = (sequence: number, projection: string, messages: string | null = null) => ({
      turn_id: `turn_${sequence}`,
      sequence,
      run_id: null,
      loop_id: 'root',
      status: 'completed',
      projection,
      messages,
    })
    for (const n of oneTo(10))
      await engine.append({
        ...journal.appending(session, null, [structural(`${n}`)]),
        turns: [row(n, `"${n}"`, `[${n}]`)],
      })
    await engine.append({ ...journal.appending(session, null, [structural('again')]), turns: [row(3, '"3b"')] })
    const sequences = async (options: object) => (await journal.turns(session, options)).map(({ sequence }) => sequence)
    expect(await sequences({})).toEqual(oneTo(10))
    expect(await sequences({ limit: 3 })).toEqual([8, 9, 10])
    expect(await sequences({ before: 8, limit: 3 })).toEqual([5, 6, 7])
    expect(await sequences({ after: 3, limit: 2 })).toEqual([4, 5])
    expect((await journal.turns(session, { after: 2, limit: 1 }))[0]).toMatchObject({
      projection: '"3b"',
      messages: '[3]',
    })
  })

  test('[D2.7] a snapshot holds the open turns of the active run up to its head, and follow goes on from there', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    const lease = (await engine.write(function* () {
      yield* runRow(session, 'chat_1', 1)
      return yield* beginRun({ session_id: session, run_id: 'chat_1' }, 'one', 10_000)
    }))!
    const of = (turn_id: string, text: string) => ({ ...structural(text), turn_id })
    await journal.append(session, lease.epoch, [structural('chat:start'), of('turn_a', 'a1'), of('turn_b', 'b1')])
    const row = {
      turn_id: 'turn_a',
      sequence: 0,
      run_id: null,
      loop_id: 'root',
      status: 'completed',
      projection: '{}',
      messages: null,
    }
    await engine.append({ ...journal.appending(session, lease.epoch, [of('turn_a', 'a2')]), turns: [row] })
    const snapshot = await journal.snapshot(session)
    expect(snapshot).toMatchObject({ head: 4, run_id: 'chat_1' })
    expect(snapshot.open.map(textOf)).toEqual(['b1'])
    await journal.append(session, lease.epoch, [of('turn_b', 'b2')])
    expect((await firstPage(journal, session, snapshot.head)).map(textOf)).toEqual(['b2'])
  })

  test('[D2.7] readers that start anywhere, pull at any pace and meet any number of appends see every event once', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(3), { maxLength: 10 }),
        async (sizes, pauses) => {
          const session = await newSession(engine)
          const total = sizes.reduce((sum, size) => sum + size, 0)
          const seen: number[] = []
          const reading = (async () => {
            for await (const page of journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000) })) {
              seen.push(...page.map(({ event_seq }) => event_seq))
              if (seen.length >= total) return
              for (let turns = pauses[seen.length % (pauses.length || 1)] ?? 0; turns > 0; turns--)
                await new Promise(setImmediate)
            }
          })()
          await Promise.all(
            sizes.map((size) =>
              journal.append(
                session,
                null,
                oneTo(size).map((n) => increment(`${n}`)),
              ),
            ),
          )
          await reading
          expect(seen).toEqual(oneTo(total))
        },
      ),
      { numRuns: 15 },
    )
  })
})
