import { emptyProjection, reduce } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { axisOf } from './axis.ts'
import { type Decision, RecordedRun } from './recorded-run.ts'
import { CHECKPOINT_EVENTS, Scrubber, sessionEvent } from './scrubber.ts'
import { timelineOf } from './timeline.ts'

const STEPS = [
  'model',
  'text',
  'answer',
  'parallel',
  'claim',
  'result',
  'fork',
  'ask',
  'crash',
  'hand_back',
  'added',
  'notice',
  'stray',
  'end',
] as const
type Step = { step: (typeof STEPS)[number]; ms: number }

const steps = fc.array(
  fc.record({
    step: fc.constantFrom(...STEPS),
    ms: fc.oneof(fc.constant(0), fc.integer({ max: 50, min: 1 }), fc.integer({ min: 500, max: 400_000 })),
  }),
  { maxLength: 60 },
)

/** A run in which anything may follow anything, as a record that is damaged or newer may tell it. */
function play(given: readonly Step[]): RecordedEvent[] {
  const run = new RecordedRun().accept()
  let turn: string | undefined
  let calls: string[] = []
  let asked: Decision | undefined
  const acts: Record<Step['step'], () => unknown> = {
    model: () => run.callModel(),
    text: () => run.text((turn ??= run.announce()), 'some words'),
    answer: () => (calls = run.answer((turn ??= run.announce()), ['Bash'])),
    parallel: () => (calls = run.answer((turn ??= run.announce()), ['Read', 'Grep', 'Read'])),
    claim: () => turn && calls.forEach((id) => run.claim(turn!, id)),
    result: () => turn && calls[0] && run.result(turn, calls.shift()!),
    fork: () => {
      const [id] = run.answer((turn ??= run.announce()), ['Agent'])
      run.claim(turn, id!).callModel(`loop of ${id}`)
      const inner = run.announce({ loop_id: `loop of ${id}`, parent: id! })
      run.wait(5).text(inner, 'inner').endTurn(inner)
    },
    ask: () => {
      if (!turn || !calls[0]) return
      asked = { question_id: run.ask(turn, calls[0]), tool_call_id: calls[0], turn_id: turn, isApproved: true }
      run.endTurn(turn, 'paused').end('completed', 'waiting_for_input').wait(90_000).accept(asked)
    },
    crash: () => run.takeOver(10_500),
    hand_back: () => run.own('parley-c', 'hand_back'),
    added: () => run.addMessage(),
    notice: () => run.notify('workspace:files_changed', { paths: [] }),
    stray: () => run.result('turn_none', 'call_none').notify('from:the-future'),
    end: () => {
      if (turn) run.endTurn(turn)
      turn = undefined
      run.end(given.length % 2 === 0 ? 'completed' : 'interrupted').accept()
    },
  }
  for (const { step, ms } of given) {
    run.wait(ms)
    acts[step]()
  }
  return run.events
}

const anyRun = steps.map(play)
const anyPrefix = anyRun.chain((events) => fc.nat(events.length).map((length) => events.slice(0, length)))

describe('whatever happened', () => {
  test('any beginning of a run draws, and everything drawn lies inside it', () => {
    fc.assert(
      fc.property(anyPrefix, fc.option(fc.nat(1_000_000), { nil: undefined }), (events, later) => {
        const end = events.at(-1)?.at ?? 0
        const { lanes, marks, folds, duration, figures } = timelineOf(
          events,
          later === undefined ? undefined : end + later,
        )
        for (const { from, to } of [...lanes.flatMap(({ tracks }) => tracks.flat()), ...folds]) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThanOrEqual(from)
          expect(to).toBeLessThanOrEqual(duration)
        }
        for (const { at, index } of marks) {
          expect(at).toBeLessThanOrEqual(duration)
          expect(events[index]).toBeDefined()
        }
        expect(figures.workingMs + figures.waitingMs + figures.nobodyMs).toBe(duration)
      }),
    )
  })

  test('bars of one track never overlap, and each bar is drawn once', () => {
    fc.assert(
      fc.property(anyPrefix, (events) => {
        const { lanes } = timelineOf(events)
        const bars = lanes.flatMap(({ tracks }) => tracks.flat())
        expect(new Set(bars.map(({ id }) => id)).size).toBe(bars.length)
        for (const track of lanes.flatMap(({ tracks }) => tracks))
          for (const [index, bar] of track.entries())
            if (index > 0) expect(track[index - 1]!.to).toBeLessThanOrEqual(bar.from)
      }),
    )
  })

  test('rows keep the order of the record, leave no event out and tell none twice', () => {
    fc.assert(
      fc.property(anyPrefix, (events) => {
        const { rows } = timelineOf(events)
        let next = 0
        for (const { from, to, seq } of rows) {
          expect(from).toBe(next)
          expect(seq).toEqual(to < from ? null : [events[from]!.event_seq, events[to]!.event_seq])
          next = to + 1
        }
        expect(next).toBe(events.length)
      }),
    )
  })

  test('after the first n events people saw what reduce makes of them, however one scrubs', () => {
    const many = fc.tuple(steps, fc.nat(1_600), fc.array(fc.nat(3_000), { maxLength: 6 }))
    fc.assert(
      fc.property(many, ([given, texts, moments]) => {
        const run = play([...given, ...Array.from({ length: texts }, () => ({ step: 'text', ms: 1 }) as const)])
        const folded = (count: number) =>
          run
            .slice(0, count)
            .flatMap((event) => sessionEvent('s', event) ?? [])
            .reduce(reduce, emptyProjection)
        const half = new Scrubber('s', run.slice(0, Math.floor(run.length / 2)))
        half.at(run.length)
        const whole = new Scrubber('s', run, half)
        for (const moment of [...moments, CHECKPOINT_EVENTS, run.length])
          expect(whole.at(moment)).toEqual(folded(moment))
      }),
      { numRuns: 30 },
    )
  })

  test('the axis never goes back, and outside of folds a place is a time', () => {
    fc.assert(
      fc.property(anyRun, fc.integer({ min: 200, max: 2_000 }), (events, width) => {
        const { folds, duration, rows } = timelineOf(events)
        const axis = axisOf({ from: 0, to: duration, folds, width })
        let last = 0
        for (const { at } of rows.toSorted((a, b) => a.at - b.at)) {
          const place = axis.place(at)
          expect(place).toBeGreaterThanOrEqual(last - 1e-9)
          expect(place).toBeLessThanOrEqual(1 + 1e-9)
          if (duration > 0 && !folds.some(({ from, to }) => at >= from && at <= to))
            expect(axis.timeAt(place)).toBeCloseTo(at, 3)
          last = place
        }
        for (const { from, to } of axis.gaps) expect((to - from) * width).toBeLessThanOrEqual(96.01)
        for (const [index, { place }] of axis.ticks.entries())
          if (index > 0) expect(place).toBeGreaterThan(axis.ticks[index - 1]!.place)
      }),
    )
  })
})

/** The run of the guide: a server dies while the second answer streams, and consent takes six minutes. */
function release(): RecordedEvent[] {
  const run = new RecordedRun().accept().wait(912)
  const first = run.announce()
  for (let at = 0; at < 35; at++) run.wait(60).text(first, 'word')
  const [read, grep, bash] = run.answer(first, ['Read', 'Grep', 'Bash'])
  run.claim(first, read!).claim(first, grep!).wait(40).result(first, read!).result(first, grep!)
  run.claim(first, bash!).wait(2_800).result(first, bash!).endTurn(first).callModel().wait(1_200)
  const second = run.announce()
  for (let at = 0; at < 14; at++) run.wait(100).text(second, 'rewri')
  run.takeOver(10_500).endTurn(second, 'interrupted', 'server_stopped').callModel().wait(1_400)
  const third = run.announce()
  run.wait(3_000).text(third, 'Ready')
  const [deploy] = run.answer(third, ['Bash'])
  const question_id = run.ask(third, deploy!)
  run.endTurn(third, 'paused').end('completed', 'waiting_for_input').wait(372_000)
  run.accept({ question_id, tool_call_id: deploy!, turn_id: third, isApproved: true })
  run.claim(third, deploy!).wait(40_000).result(third, deploy!).wait(800)
  const last = run.announce()
  return run.wait(300).text(last, 'Done.').endTurn(last).end().events
}

describe('the run of the guide', () => {
  const { lanes, marks, folds, rows, figures, end, calls } = timelineOf(release())
  const bars = (id: string) => lanes.find((lane) => lane.id === id)!.tracks.flat()

  test('names who had it, and for how long nobody did', () => {
    expect(bars('server').map((bar) => [bar.kind, 'instance' in bar ? bar.instance : bar.to - bar.from])).toEqual([
      ['owner', 'parley-a'],
      ['nobody', 10_500],
      ['owner', 'parley-b'],
      ['owner', 'parley-a'],
    ])
    expect(marks.map(({ kind, instance }) => [kind, instance])).toEqual([
      ['crash', 'parley-a'],
      ['take_over', 'parley-b'],
    ])
    expect(figures).toMatchObject({ nobodyMs: 10_500, waitingMs: 372_000, takeovers: 1 })
    expect(end).toMatchObject({ status: 'completed', isWaiting: false })
  })

  test('shows a half answer as cut, and the wait as one fold', () => {
    expect(calls.map(({ isCut }) => isCut)).toEqual([false, true, false, false])
    expect(folds).toHaveLength(1)
    expect(folds[0]!.to - folds[0]!.from).toBe(372_000)
    expect(bars('people')).toMatchObject([{ kind: 'person', about: 'consent', outcome: 'approved', risk: 'high' }])
  })

  test('a call that is intended with an answer begins after the tool that goes first', () => {
    const deploy = bars('tools')
      .toSorted((a, b) => a.to - b.to)
      .at(-1)!
    expect(calls.at(-1)!.from).toBe(deploy.to)
  })

  test('is a ledger that everybody can read', () => {
    expect(rows.map(({ words, points }) => [points.join(' '), words.key])).toEqual([
      ['C1', 'accepted'],
      ['C2a', 'model_call'],
      ['C2b', 'announced'],
      ['C3', 'text'],
      ['C4', 'answer'],
      ['C5 C6', 'tools'],
      ['C5', 'tool_claim'],
      ['C6', 'tool_result'],
      ['', 'turn_end'],
      ['C2a', 'model_call'],
      ['C2b', 'announced'],
      ['C3', 'text'],
      ['', 'crash'],
      ['', 'take_over'],
      ['', 'half_closed'],
      ['C2a', 'model_call'],
      ['C2b', 'announced'],
      ['C3', 'text'],
      ['C4', 'answer'],
      ['C7', 'asked'],
      ['C9', 'ended'],
      ['C8', 'decided'],
      ['C2a', 'model_call'],
      ['C5', 'tool_claim'],
      ['C6', 'tool_result'],
      ['C2b', 'announced'],
      ['C3', 'text'],
      ['C9', 'ended'],
    ])
    const taken = rows.find(({ words }) => words.key === 'take_over')!
    const skipped = 'skipped' in taken.words ? taken.words.skipped! : [0, 0]
    expect(skipped[1] - skipped[0] + 1).toBe(10_000)
    expect(rows.find(({ words }) => words.key === 'answer')!.words).toEqual({ key: 'answer', calls: 3 })
    expect(rows.find(({ words }) => words.key === 'text')!.words).toEqual({ key: 'text', characters: 140 })
  })
})

describe('what breaks off', () => {
  const claimed = () => {
    const run = new RecordedRun().accept().wait(100)
    const turn = run.announce()
    const [bash] = run.answer(turn, ['Bash'])
    return { run: run.claim(turn, bash!).wait(500).notify('task:updated', { tasks: [] }), turn, bash: bash! }
  }
  const tools = (events: RecordedEvent[]) => timelineOf(events).lanes[2]!.tracks.flat()

  test('a tool whose result nobody knows ends where its server died', () => {
    const { run, turn, bash } = claimed()
    run.takeOver(9_000).result(turn, bash, 'error')
    expect(tools(run.events)).toMatchObject([{ outcome: 'unknown', from: 100, to: 600 }])
  })

  test('one that is begun again has a second bar', () => {
    const { run, turn, bash } = claimed()
    run.takeOver(9_000).claim(turn, bash, 2).wait(50).result(turn, bash)
    expect(tools(run.events)).toMatchObject([
      { outcome: 'cut', attempt: 1, to: 600 },
      { outcome: 'done', attempt: 2, from: 9_600, to: 9_650 },
    ])
  })

  test('a record from before owners were told still shows who is unknown, and that somebody took over', () => {
    const run = new RecordedRun().accept().wait(100)
    run.text(run.announce(), 'half').takeOver(9_000)
    const old = run.events.filter(({ type }) => type !== 'run:owner')
    const { marks, lanes } = timelineOf(old)
    expect(marks.map(({ kind }) => kind)).toEqual(['crash', 'take_over'])
    expect(lanes[0]!.tracks.flat().map(({ kind }) => kind)).toContain('nobody')
  })
})

test('20 000 events are read at once', () => {
  const run = new RecordedRun().accept()
  const turn = run.announce()
  for (let at = 0; at < 20_000; at++) run.wait(20).text(turn, 'word')
  const before = performance.now()
  const { rows } = timelineOf(run.events)
  expect(rows).toHaveLength(4)
  expect(performance.now() - before).toBeLessThan(5_000)
})
