import type { Engine } from '../store/engine.ts'
import type { Grouping } from './read-usage.ts'

/** Models and outcomes are their own names. */
const SOURCES: Partial<Record<Grouping, string>> = {
  user: 'SELECT id, coalesce(display_name, username) AS name FROM users WHERE id IN',
  key: 'SELECT id, name FROM api_keys WHERE id IN',
}

/** What people call these groups, as far as it is known. */
export async function namesOf(
  engine: Engine,
  by: Grouping | null,
  keys: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = keys.filter((key) => key !== null)
  const source = by && SOURCES[by]
  if (!source || ids.length === 0) return new Map()
  const rows = await engine.select<{ id: string; name: string }>(`${source} (${ids.map(() => '?').join(', ')})`, ids)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
