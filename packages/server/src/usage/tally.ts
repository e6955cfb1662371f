import { setImmediate } from 'node:timers/promises'
import type { UsageReport, UsageRow } from '@parley/protocol/rest'
import type { Price } from '../config/price-options.ts'
import type { Grouping, UsedTogether } from './read-usage.ts'
import { Sum } from './sum.ts'

export type TallyOptions = {
  by: Grouping | null
  /** By model. */
  prices: ReadonlyMap<string, Price>
}

/** A plot can tell no more apart, and an answer has an end. */
const MOST_GROUPS = 50
const OTHER = 'other'

type Key = string | null

/** Adds up by bucket and group; groups and the total are sums of those. */
export class Tally {
  readonly #options: TallyOptions
  readonly #buckets = new Map<number, Map<Key, Sum>>()
  readonly #groups = new Map<Key, Sum>()

  constructor(options: TallyOptions) {
    this.#options = options
  }

  add(used: UsedTogether): void {
    const { by, prices } = this.#options
    const bucket = this.#buckets.get(used.start) ?? new Map<Key, Sum>()
    this.#buckets.set(used.start, bucket)
    // Nobody is named with no letters.
    const key = by ? used.key || null : null
    for (const sums of [bucket, this.#groups]) sumIn(sums, key).add(used, prices.get(used.model))
  }

  /** Of the groups that are told by themselves: the most used ones. */
  keys(): Key[] {
    const largest = [...this.#groups].sort(([, a], [, b]) => b.size - a.size)
    return largest.slice(0, MOST_GROUPS).map(([key]) => key)
  }

  /** Others get their turn after each bucket. */
  async report(names: ReadonlyMap<string, string>): Promise<Pick<UsageReport, 'total' | 'groups' | 'buckets'>> {
    const told = new Set(this.keys())
    const nameOf = (key: Key) => names.get(key ?? '') ?? null
    const rowsOf = (sums: ReadonlyMap<Key, Sum>): UsageRow[] =>
      [...withOthers(sums, told)].map(([key, sum]) => ({ key, name: nameOf(key), ...sum.figures() }))
    const total = new Sum()
    for (const sum of this.#groups.values()) total.take(sum)
    const buckets: UsageReport['buckets'] = []
    for (const [at, sums] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      const start = new Date(at).toISOString()
      buckets.push(...rowsOf(sums).map((row) => ({ start, ...row })))
      await setImmediate()
    }
    const groups = this.#options.by ? [...withOthers(this.#groups, told)].sort(([, a], [, b]) => b.size - a.size) : []
    return {
      total: total.figures(),
      groups: groups.map(([key, sum]) => ({ key, name: nameOf(key), ...sum.figures() })),
      buckets,
    }
  }
}

function sumIn(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? new Sum()
  sums.set(key, sum)
  return sum
}

/** The groups that are told, and one for all others. */
function withOthers(sums: ReadonlyMap<Key, Sum>, told: ReadonlySet<Key>): ReadonlyMap<Key, Sum> {
  const result = new Map<Key, Sum>([...sums].filter(([key]) => told.has(key)))
  const others = [...sums].filter(([key]) => !told.has(key))
  if (others.length === 0) return result
  const together = new Sum()
  for (const [, sum] of others) together.take(sum)
  return result.set(OTHER, together)
}
