import pg from 'pg'
import { isStoreError, StoreError } from '../errors.ts'

const INT8 = 20

/** Our integers stay below 2^53: they are times, counters and journal numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export function connectionOptions(url: string): pg.ClientConfig {
  return { connectionString: url, types, connectionTimeoutMillis: 5_000, keepAlive: true, application_name: 'parley' }
}

/** Two writers met in the wrong order; one was rolled back and may simply try again. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01'
}

/** The connection went away. What was under way on it may or may not have been committed. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code && /^(08|57P0)/.test(code)) return true
  if (code && /^(ECONN|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true
  // 25P03: the server ended a transaction that stood idle too long, and the connection with it.
  return (
    code === '25P03' ||
    /connection (terminated|error|timeout)|Client has encountered a connection error|timeout exceeded|query read timeout/i.test(
      message,
    )
  )
}

/** What the operator should read when the database cannot be used. The password never appears. */
export function databaseError(error: unknown, url: string): unknown {
  if (isStoreError(error)) return error
  const { code, message = '' } = error as { code?: string; message?: string }
  const where = describe(url)
  const options = { cause: error }
  if (code === '28P01' || code === '28000')
    return new StoreError(
      'unavailable',
      `PostgreSQL at ${where} refused the user name or password. Check PARLEY_DATABASE_URL.`,
      options,
    )
  if (code === '3D000')
    return new StoreError(
      'unavailable',
      `PostgreSQL at ${where} has no such database. Create it, or correct PARLEY_DATABASE_URL.`,
      options,
    )
  if (code === '42501')
    return new StoreError('unavailable', `PostgreSQL at ${where} does not let this user do that (${message}).`, options)
  if (code === '53100')
    return new StoreError('full', `PostgreSQL at ${where} reports a full disk. Nothing was written.`, options)
  // Out of connections or memory, an error of its disk, or a standby that only reads.
  if (code && /^(53|58|25006)/.test(code))
    return new StoreError('unavailable', `PostgreSQL at ${where} cannot do that now (${message}).`, options)
  if (isConnectionLoss(error))
    return new StoreError(
      'unavailable',
      `Cannot reach PostgreSQL at ${where}. Is it running, and is PARLEY_DATABASE_URL right?`,
      options,
    )
  return error
}

export function commitUnknown(url: string, cause: unknown): StoreError {
  return new StoreError('commit_unknown', `The connection to ${describe(url)} broke during a commit.`, { cause })
}

/** Refused here, before the driver guesses: it takes what it cannot parse for a database on this machine. */
export function demandUrl(url: string): void {
  const isUrl = URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)
  if (isUrl) return
  throw new StoreError(
    'unavailable',
    'PARLEY_DATABASE_URL is not a URL like postgres://user:password@host:5432/database.',
  )
}

function describe(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}

export function openPool(url: string, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...connectionOptions(url), ...options })
  pool.on('error', () => undefined) // an idle connection died; the next query opens another
  // One that died in use says so by the query's rejection as well; unheard, this event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
