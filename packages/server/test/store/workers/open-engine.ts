import type { Engine } from '../../../src/store/engine.ts'
import { openPostgres } from '../../../src/store/postgres/engine.ts'
import { openSqlite } from '../../../src/store/sqlite/engine.ts'

/** Opens what a suite calls its place: a directory or a URL. */
export function openEngine(at: string, { leaseMs = 3_000 } = {}): Promise<Engine> {
  if (at.startsWith('postgres:')) return openPostgres({ url: at, leaseMs, pollMs: 300 })
  return openSqlite({ directory: at, now: Date.now })
}
