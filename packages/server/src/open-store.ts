import type { ServerConfig } from './config/options.ts'
import type { Engine } from './store/engine.ts'

/** The configured database. Each engine is loaded only when it is the one. */
export async function openStore({ databaseUrl, dataDir, leaseMs }: ServerConfig): Promise<Engine> {
  if (databaseUrl === undefined) {
    const { openSqlite } = await import('./store/sqlite/engine.ts')
    return openSqlite({ directory: dataDir, now: Date.now })
  }
  const { openPostgres } = await import('./store/postgres/engine.ts')
  return openPostgres({ url: databaseUrl, leaseMs })
}
