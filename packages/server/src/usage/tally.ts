import type { UsageFigures, UsageReport, UsageRow } from '@parley/protocol/rest'
import type { UsedRow } from './read-usage.ts'
import { type Price, Sum } from './sum.ts'

export type Grouping = NonNullable<UsageReport['by']>

export type TallyOptions = {
  by: Grouping | null
  /** By model. */
  prices: ReadonlyMap<string, Price>
  /** Of the bucket that a time lies in. */
  startOf: (at: number) => number
}

/** A plot can tell no more apart, and an answer has an end. */
const MOST_GROUPS = 50
const OTHER = 'other'
const KEYS: Record<Grouping, (row: UsedRow) => string | null> = {
  model: ({ model }) => model || null,
  user: ({ account_id }) => account_id || null,
  key: ({ key_id }) => key_id,
  outcome: ({ outcome }) => outcome,
}

type Key = string | null

/** Adds rows up by bucket and group; groups and the total are sums of those. */
export class Tally {
  readonly #options: TallyOptions
  readonly #buckets = new Map<number, Map<Key, Sum>>()

  constructor(options: TallyOptions) {
    this.#options = options
  }

  add(row: UsedRow): void {
    const { by, prices, startOf } = this.#options
    const start = startOf(row.at)
    const bucket = this.#buckets.get(start) ?? new Map<Key, Sum>()
    this.#buckets.set(start, bucket)
    sumIn(bucket, by ? KEYS[by](row) : null).add(row, prices.get(row.model))
  }

  /** Of the groups that are told by themselves: the most used ones. */
  keys(): Key[] {
    const largest = [...this.#groups()].sort(([, a], [, b]) => b.size - a.size)
    return largest.slice(0, MOST_GROUPS).map(([key]) => key)
  }

  report(names: ReadonlyMap<string, string>): Pick<UsageReport, 'total' | 'groups' | 'buckets'> {
    const told = new Set(this.keys())
    const rowsOf = (sums: ReadonlyMap<Key, Sum>): UsageRow[] =>
      [...withOthers(sums, told)].map(([key, sum]) => ({ key, name: names.get(key ?? '') ?? null, ...sum.figures() }))
    const groups = this.#groups()
    const total = new Sum()
    for (const sum of groups.values()) total.take(sum)
    const inTime = [...this.#buckets].sort(([a], [b]) => a - b)
    return {
      total: total.figures(),
      groups: this.#options.by ? rowsOf(groups).sort((a, b) => sizeOf(b) - sizeOf(a)) : [],
      buckets: inTime.flatMap(([at, sums]) =>
        rowsOf(sums).map((row) => ({ start: new Date(at).toISOString(), ...row })),
      ),
    }
  }

  #groups(): Map<Key, Sum> {
    const groups = new Map<Key, Sum>()
    for (const bucket of this.#buckets.values()) for (const [key, sum] of bucket) sumIn(groups, key).take(sum)
    return groups
  }
}

function sizeOf({ runs, input_tokens, output_tokens }: UsageFigures): number {
  return runs + input_tokens + output_tokens
}

function sumIn(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? new Sum()
  sums.set(key, sum)
  return sum
}

/** The groups that are told, and one for all others. */
function withOthers(sums: ReadonlyMap<Key, Sum>, told: ReadonlySet<Key>): ReadonlyMap<Key, Sum> {
  const result = new Map<Key, Sum>()
  for (const [key, sum] of sums) sumIn(result, told.has(key) ? key : OTHER).take(sum)
  return result
}
