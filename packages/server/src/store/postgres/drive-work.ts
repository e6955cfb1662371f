import type pg from 'pg'
import type { Told, Work } from '../work.ts'

/** Runs a work statement by statement. */
export async function drive<T>(client: pg.PoolClient, work: Work<T>, onTold: (told: Told) => void): Promise<T> {
  let next = work.next()
  while (!next.done) {
    const step = next.value
    if (!('sql' in step)) {
      onTold(step)
      next = work.next([])
      continue
    }
    const { rows } = await client.query(
      step.portable ? numberedPlaceholders(step.sql) : step.sql,
      step.parameters as unknown[],
    )
    next = work.next(rows)
  }
  return next.value
}

const translated = new Map<string, string>()

/** `?` to `$1, $2 …`. Portable statements hold no `?` inside a literal. */
export function numberedPlaceholders(sql: string): string {
  let text = translated.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll('?', () => `$${++count}`)
    if (translated.size < 1_000) translated.set(sql, text)
  }
  return text
}
