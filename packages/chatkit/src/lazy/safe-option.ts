/** An ECharts option that can only draw: nothing in it loads, opens or inserts anything. */
export type SafeOption = Record<string, unknown> & { series: readonly Record<string, unknown>[] }

/** Chart types that are part of the download. */
export const SERIES_TYPES = [
  ...['line', 'bar', 'pie', 'scatter', 'radar', 'heatmap', 'gauge', 'funnel', 'sankey', 'tree', 'treemap', 'graph'],
  ...['candlestick', 'boxplot'],
] as const

/** More than people can read in a chart, and more than the page can draw without a halt. */
const MAX_VALUES = 50_000
const MAX_DEPTH = 24
/** Pixels. Smaller text is not read but guessed. */
const MIN_FONT_SIZE = 11

/** How often the library does something because an option says so: it would, a billion times. */
const MOST: Readonly<Record<string, number>> = { splitNumber: 50, layoutIterations: 64 }
/** Years that a calendar may show, a drawing for each day. */
const MAX_YEARS = 5

/** Components that insert HTML, load pictures or run over the data with expressions of the author's. */
const NEVER = new Set([
  ...['toolbox', 'graphic', 'timeline', 'media', 'transform', 'brush', 'geo', 'custom', 'renderItem'],
  // A tooltip as HTML, and where and how it is put into the page.
  ...['renderMode', 'extraCssText', 'appendTo', 'appendToBody', 'className'],
  ...['__proto__', 'constructor', 'prototype'],
])
/** Addresses: what a click would open. Lists and objects of the same name are something else. */
const NEVER_TEXT = new Set(['link', 'sublink', 'image', 'url'])
/** What people read; an address in it is only text. */
const WORDS = new Set(['text', 'subtext', 'name', 'formatter', 'value', 'data', 'source', 'target', 'dimensions', 'id'])

/** A copy of an option that a model wrote, without what could do more than draw; `undefined` if nothing is left. */
export function safeOption(given: object): SafeOption | undefined {
  const wrapped = (given as { baseOption?: unknown }).baseOption
  const budget = { values: MAX_VALUES }
  const copy = copyOf(isObject(wrapped) ? wrapped : given, { key: '', depth: 0, budget })
  if (!isObject(copy) || budget.values < 0) return undefined
  const known: ReadonlySet<unknown> = new Set(SERIES_TYPES)
  const series = listOf(copy['series']).filter(isObject)
  const drawn = series.filter(({ type }) => known.has(type))
  if (drawn.length === 0 || listOf(copy['calendar']).some(isTooLong)) return undefined
  return { ...copy, series: drawn }
}

type Place = { key: string; depth: number; budget: { values: number } }

function copyOf(value: unknown, { key, depth, budget }: Place): unknown {
  if (--budget.values < 0 || depth > MAX_DEPTH) return undefined
  if (typeof value === 'string') return isAddress(value) && !WORDS.has(key) ? undefined : value
  if (key === 'fontSize' && typeof value === 'number') return Math.max(MIN_FONT_SIZE, value)
  const most = MOST[key]
  if (most !== undefined && typeof value === 'number') return Math.min(most, value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (Array.isArray(value)) return value.map((item) => copyOf(item, { key, depth: depth + 1, budget }))
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) {
    if (NEVER.has(name) || (NEVER_TEXT.has(name) && typeof part === 'string')) continue
    const safe = copyOf(part, { key: name, depth: depth + 1, budget })
    if (safe !== undefined) copy[name] = safe
  }
  return copy
}

function isTooLong(calendar: unknown): boolean {
  const range = isObject(calendar) ? calendar['range'] : undefined
  if (!Array.isArray(range)) return false
  const [from = NaN, to = NaN] = range.map((day) => new Date(day as string).getTime())
  return !(Math.abs(to - from) < MAX_YEARS * 366 * 86_400_000)
}

/** As a symbol, a colour or a background this would be fetched. */
const isAddress = (text: string): boolean => /image:\/\/|url\s*\(|^\s*(?:https?|data|blob|file|javascript):/i.test(text)

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
