import type { UsageFigures, UsageReport, UsageRow } from '@parley/protocol/rest'
import type { Format } from '../../texts/format.ts'
import type { Money } from '../../texts/money.ts'
import { ticksUpTo, timeTicksUpTo } from './ticks.ts'
import type { GroupBy, Outcome, UsageWords } from './words.ts'

/** `null`: nothing happened then, which is not the same as zero. */
export type Series = { name: string; colour: string; isDashed?: true; values: readonly (number | null)[] }

export type Plot = {
  name: 'runs' | 'tokens' | 'cost' | 'first-token' | 'waiting'
  kind: 'bars' | 'lines'
  /** A sentence. */
  title: string
  unit: string
  series: readonly Series[]
  ticks: readonly number[]
  /** A value as people read it. */
  show: (value: number) => string
  /** Instead of a plot: why there is none. */
  missing?: string
}

export type PlotSource = {
  report: UsageReport
  /** The same by groups, where it was asked for. */
  grouped: UsageReport | undefined
  starts: readonly number[]
  /** `7 days` */
  range: string
  words: UsageWords
  format: Format
  money: Money
}

const OUTCOME_COLOURS: Record<Outcome, string> = {
  completed: 'var(--plot-1)',
  paused: 'var(--plot-2)',
  interrupted: 'var(--plot-3)',
  failed: 'var(--plot-4)',
}
const GROUP_COLOURS = [1, 2, 3, 4, 5].map((number) => `var(--plot-${number})`)
const OTHER_COLOUR = 'var(--control)'

export function plotsOf(source: PlotSource): Plot[] {
  return [runsPlot(source), tokensPlot(source), costPlot(source), firstTokenPlot(source), waitingPlot(source)]
}

function runsPlot({ report: { total, buckets, bucket }, starts, range, words, format }: PlotSource): Plot {
  const outcomes = Object.keys(OUTCOME_COLOURS) as Outcome[]
  const series = outcomes.map((outcome) => ({
    name: words.outcomes[outcome],
    colour: OUTCOME_COLOURS[outcome],
    values: valuesOf(buckets, starts, (figures) => runsThat(figures, outcome)),
  }))
  const plot = { name: 'runs', kind: 'bars', unit: words.units[bucket].runs, show: format.number } as const
  return { ...plot, series, title: words.runsTitle(format.number(total.runs), range), ticks: wholeTicks(series) }
}

function runsThat(figures: UsageFigures, outcome: Outcome): number {
  if (outcome !== 'completed') return figures[outcome]
  return figures.runs - figures.failed - figures.interrupted - figures.paused
}

function tokensPlot({ report: { total, buckets, bucket }, starts, range, words, format }: PlotSource): Plot {
  const one = (name: string, colour: string, of: (figures: UsageFigures) => number): Series => ({
    ...{ name, colour, values: valuesOf(buckets, starts, of) },
  })
  const series = [
    one(words.input, 'var(--plot-1)', ({ input_tokens, cached_tokens }) => input_tokens - cached_tokens),
    one(words.cached, 'var(--plot-3)', ({ cached_tokens }) => cached_tokens),
    one(words.output, 'var(--plot-5)', ({ output_tokens }) => output_tokens),
  ]
  const plot = { name: 'tokens', kind: 'bars', unit: words.units[bucket].tokens, show: format.short } as const
  const title = words.tokensTitle(format.short(total.input_tokens + total.output_tokens), range)
  return { ...plot, series, title, ticks: wholeTicks(series) }
}

function costPlot(source: PlotSource): Plot {
  const { report, words, money, range } = source
  const { currency, total, bucket } = report
  const show = (value: number) => money(value, currency)
  const plot = { name: 'cost', kind: 'bars', unit: words.costUnit(currency, words.units[bucket].cost), show } as const
  if (total.cost === undefined)
    return { ...plot, title: words.noCostTitle, series: [], ticks: [], missing: words.noPriceText }
  const series = costSeries(source)
  return { ...plot, series, title: words.costTitle(show(total.cost), range), ticks: ticksUpTo(highest(series)) }
}

/** One for each of the five dearest groups, and one for the rest. */
function costSeries({ report, grouped, starts, words }: PlotSource): Series[] {
  if (!grouped?.by)
    return [{ name: words.cost, colour: GROUP_COLOURS[0]!, values: valuesOf(report.buckets, starts, costOf) }]
  const by = grouped.by
  const priced = grouped.groups.filter(({ cost }) => cost !== undefined).sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0))
  const [shown, rest] = [priced.slice(0, GROUP_COLOURS.length), priced.slice(GROUP_COLOURS.length)]
  const sumOf = (groups: readonly UsageRow[]) => {
    const keys = new Set(groups.map(({ key }) => key))
    const rows = grouped.buckets.filter(({ key }) => keys.has(key))
    return starts.map((start) => {
      const costs = rows.filter((row) => Date.parse(row.start) === start).flatMap(({ cost }) => cost ?? [])
      return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)
    })
  }
  const series = shown.map((group, index) => ({
    ...{ name: nameOf(group, by, words), colour: GROUP_COLOURS[index]!, values: sumOf([group]) },
  }))
  return rest.length === 0 ? series : [...series, { name: words.others, colour: OTHER_COLOUR, values: sumOf(rest) }]
}

function firstTokenPlot({ report: { total, buckets, bucket }, starts, words, format }: PlotSource): Plot {
  const one = (of: 'p50' | 'p95') => valuesOf(buckets, starts, ({ first_token_ms }) => first_token_ms?.[of] ?? null)
  const series: Series[] = [
    { name: words.half, colour: 'var(--plot-1)', values: one('p50') },
    { name: words.most, colour: 'var(--plot-4)', isDashed: true, values: one('p95') },
  ]
  const times = total.first_token_ms
  const title = times
    ? words.firstTokenTitle(format.duration(times.p50), format.duration(times.p95))
    : words.noFirstTokenTitle
  const plot = {
    name: 'first-token',
    kind: 'lines',
    unit: words.units[bucket].time,
    show: (ms: number) => format.duration(ms),
  } as const
  return { ...plot, title, series, ticks: timeTicksUpTo(highest(series, 'lines')) }
}

function waitingPlot({ report: { total, buckets, bucket }, starts, range, words, format }: PlotSource): Plot {
  const values = valuesOf(buckets, starts, ({ waited_ms }) => waited_ms)
  const series = [{ name: words.waiting, colour: 'var(--plot-2)', values }]
  const title =
    total.waited_ms > 0 ? words.waitingTitle(format.duration(total.waited_ms), range) : words.noWaitingTitle(range)
  const plot = {
    name: 'waiting',
    kind: 'bars',
    unit: words.units[bucket].time,
    show: (ms: number) => format.duration(ms),
  } as const
  return { ...plot, title, series, ticks: timeTicksUpTo(highest(series)) }
}

export function nameOf({ key, name }: UsageRow, by: GroupBy, words: UsageWords): string {
  if (key === null) return words.noKeyOf[by]
  if (by === 'outcome') return words.outcomes[key as Outcome] ?? key
  return name ?? (key === 'other' ? words.others : key)
}

const costOf = ({ cost }: UsageFigures): number | null => cost ?? null

function valuesOf(
  buckets: UsageReport['buckets'],
  starts: readonly number[],
  of: (figures: UsageFigures) => number | null,
): (number | null)[] {
  const found = new Map(buckets.map((bucket) => [Date.parse(bucket.start), bucket]))
  return starts.map((start) => {
    const bucket = found.get(start)
    return bucket ? of(bucket) : null
  })
}

/** Bars stand on each other, lines beside each other. */
function highest(series: readonly Series[], kind: Plot['kind'] = 'bars'): number {
  const count = series[0]?.values.length ?? 0
  const at = (index: number) => series.map(({ values }) => values[index] ?? 0)
  const heights = Array.from({ length: count }, (_, index) =>
    kind === 'lines' ? Math.max(...at(index)) : at(index).reduce((sum, value) => sum + value, 0),
  )
  return Math.max(0, ...heights)
}

const wholeTicks = (series: readonly Series[]) => ticksUpTo(highest(series)).filter((tick) => Number.isInteger(tick))
