import type { Usage } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'
import type { Bar, ModelBar } from './bars.ts'
import { type Fold, foldsOf } from './folds.ts'
import { type Lane, lanesOf } from './lanes.ts'
import type { Mark } from './marks.ts'
import { Reading, type RunEnd } from './reading.ts'
import { type Row, rowsOf } from './rows.ts'
import { isBusy, lengthOf, without } from './stretches.ts'

/** What happened in a run, ready to be drawn. All times but `start` are milliseconds since the start. */
export type Timeline = {
  /** Milliseconds since 1970. */
  start: number
  duration: number
  lanes: readonly Lane[]
  marks: readonly Mark[]
  folds: readonly Fold[]
  rows: readonly Row[]
  /** Every call of a model, with what it cost. */
  calls: readonly ModelBar[]
  figures: Figures
  /** How it ended; `null`: it is under way. */
  end: RunEnd | null
}

/** How the time was spent: the three sums make the whole. */
export type Figures = { workingMs: number; waitingMs: number; nobodyMs: number; takeovers: number; usage: Usage | null }

/**
 * Events, in the order of the record, as lanes, marks, folds and rows. Any beginning of a run can be drawn. `now`
 * (milliseconds since 1970) is how far what is under way reaches; without it, to the last event.
 */
export function timelineOf(events: readonly RecordedEvent[], now?: number): Timeline {
  const reading = new Reading(events, now)
  const { bars, duration, start, marks, calls, end } = reading
  return {
    ...{ start, duration, marks, calls, end },
    lanes: lanesOf(reading),
    folds: foldsOf(bars, duration),
    rows: rowsOf(events, reading),
    figures: figuresOf(reading),
  }
}

function figuresOf({ bars, duration, calls }: Reading): Figures {
  const waitingMs = lengthOf(without(bars.filter(isWait), bars.filter(isBusy)))
  const nobodyMs = lengthOf(bars.filter(({ kind }) => kind === 'nobody'))
  const takeovers = bars.filter((bar) => bar.kind === 'owner' && bar.cause === 'take_over').length
  const usages = calls.flatMap(({ usage }) => (usage ? [usage] : []))
  return {
    ...{ waitingMs, nobodyMs, takeovers },
    workingMs: Math.max(0, duration - waitingMs - nobodyMs),
    usage: usages.length === 0 ? null : usages.reduce(added),
  }
}

function added(sum: Usage, { input_tokens, output_tokens, cache_read_tokens = 0 }: Usage): Usage {
  return {
    input_tokens: sum.input_tokens + input_tokens,
    output_tokens: sum.output_tokens + output_tokens,
    cache_read_tokens: (sum.cache_read_tokens ?? 0) + cache_read_tokens,
  }
}

function isWait({ kind, from, to }: Bar): boolean {
  return kind === 'person' && to > from
}
