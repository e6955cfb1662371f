import type pg from 'pg'
import type { Told, Work } from '../work.ts'
import { databaseError, isConflict, isConnectionLoss } from './connection.ts'
import { drive } from './drive-work.ts'

export type TransactionOptions = {
  url: string
  leaseMs: number
  onCommitted: (told: Told) => void
}

export type Outcome<T> =
  | { status: 'committed'; value: T }
  /** Certainly not committed. */
  | { status: 'retry'; error: unknown }
  | { status: 'unknown'; error: unknown }

/** One try. A throw is a refusal; whether to try again after anything else is the caller's to decide. */
export async function attemptWrite<T>(
  work: () => Work<T>,
  pool: pg.Pool,
  { url, leaseMs, onCommitted }: TransactionOptions,
): Promise<Outcome<T>> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    if (isConnectionLoss(error)) return { status: 'retry', error }
    throw databaseError(error, url)
  }
  const told: Told[] = []
  let committing = false
  let broken = true
  try {
    await client.query(begin(leaseMs))
    const value = await drive(client, work(), (one) => told.push(one))
    committing = true
    await client.query('COMMIT')
    broken = false
    for (const one of told) onCommitted(one)
    return { status: 'committed', value }
  } catch (error) {
    if (isConnectionLoss(error)) return { status: committing ? 'unknown' : 'retry', error }
    broken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    if (isConflict(error)) return { status: 'retry', error }
    throw databaseError(error, url)
  } finally {
    client.release(broken)
  }
}

/** A transaction that stalls is ended by the database. Local settings, so that they hold behind a transaction pooler too. */
function begin(leaseMs: number): string {
  return `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs / 3)}`
}

/** One consistent picture. */
export async function readOnce<T>(pool: pg.Pool, work: () => Work<T>): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const value = await drive(client, work(), () => undefined)
    await client.query('COMMIT')
    broken = false
    return value
  } finally {
    client.release(broken)
  }
}
