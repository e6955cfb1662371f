import type { RecordedEvent } from '@parley/protocol/rest'
import { type TakeOver, takeOversIn } from '../timeline/take-overs.ts'
import { client } from './client.ts'

const PAGES = 20

/** Of the runs that were taken over, and only of them, the whole record is read. */
export async function readTakeOvers(id: string, signal: AbortSignal): Promise<TakeOver[]> {
  const { items } = await client.sessions.runs(id, { limit: 100 }, { signal })
  const taken = items.filter(({ takeovers }) => takeovers > 0)
  const found = await Promise.all(
    taken.map(async ({ run_id }) => takeOversIn(await recordOf(id, { run_id, signal }), run_id)),
  )
  return found.flat()
}

async function recordOf(id: string, { run_id, signal }: { run_id: string; signal: AbortSignal }) {
  const events: RecordedEvent[] = []
  let after: number | null = 0
  for (let page = 0; page < PAGES && after !== null; page++) {
    const query = { run_id, after, limit: 1_000, hidden: '1' as const }
    const { items, next } = await client.sessions.events(id, query, { signal })
    events.push(...items)
    after = next
  }
  return events
}
