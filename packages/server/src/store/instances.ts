import type { Engine } from './engine.ts'
import { type Work, runSql } from './work.ts'

/** What a server has that others may not. */
export type Offer = { models: readonly string[]; tools: readonly string[] }

export type InstanceOptions = {
  engine: Engine
  id: string
  leaseMs: number
  offer: () => Offer
  onError: (error: unknown) => void
}

/** Silent for so many leases, an instance is forgotten. */
const FORGOTTEN_LEASES = 10

/** Says, as long as it runs, that this server is alive and what it has; the last word is that it is gone. */
export async function startInstance({
  engine,
  id,
  leaseMs,
  offer,
  onError,
}: InstanceOptions): Promise<AsyncDisposable> {
  const beat = () => engine.write(() => signOfLife(id, leaseMs, offer()), { isRenewal: true })
  await beat()
  const timer = setInterval(() => void beat().catch(onError), leaseMs / 3)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await engine.write(() => lastSign(id, leaseMs)).catch(onError)
    },
  }
}

/** What the servers that are alive have, this one included. */
export function* liveOffers(): Work<Offer[]> {
  const rows = yield* runSql<{ detail: string }>('SELECT detail FROM instances WHERE lease_until > now_ms()', [])
  return rows.map(({ detail }) => JSON.parse(detail) as Offer)
}

function* signOfLife(id: string, leaseMs: number, offer: Offer): Work<void> {
  yield* runSql(
    `INSERT INTO instances (id, lease_until, started_at, detail) VALUES (?, now_ms() + ?, now_ms(), ?)
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, detail = excluded.detail`,
    [id, leaseMs, JSON.stringify(offer)],
  )
}

function* lastSign(id: string, leaseMs: number): Work<void> {
  yield* runSql('DELETE FROM instances WHERE id = ? OR lease_until < now_ms() - ?', [id, FORGOTTEN_LEASES * leaseMs])
}
