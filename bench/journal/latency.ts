import type { Engine } from '../../packages/server/src/store/engine.ts'
import type { Lease } from '../../packages/server/src/store/gate.ts'
import { type Database, journalOf, startRuns, textEvent } from './databases.ts'

export type Latency = {
  database: string
  reader: string
  sessions: number
  perSecond: number
  p50: number
  p99: number
  max: number
  cpuPercent: number
}

const EVENTS_PER_SECOND = 25
const SECONDS = 5
const WARM_UP_SECONDS = 1

/** Every session writes 25 text events a second, evenly spread, and has one reader; how long from `append` to its hands? */
export async function measureLatency(
  database: Database,
  readers: { name: string; engine: Engine },
  count: number,
): Promise<Latency> {
  const runs = await startRuns(database.engine, count)
  const stop = new AbortController()
  const startedAt = performance.now()
  const delays: number[] = []
  const reading = runs.map(async ({ session_id }) => {
    for await (const page of journalOf(readers.engine).follow(session_id, { since: 0, signal: stop.signal }))
      for (const { data } of page)
        if (performance.now() - startedAt > WARM_UP_SECONDS * 1_000) delays.push(performance.now() - Number(data))
  })
  const cpuBefore = process.cpuUsage()
  const writing = runs.map((run, index) => writeEvenly(database.engine, run, index / count))
  await Promise.all(writing)
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  stop.abort()
  await Promise.all(reading)
  delays.sort((a, b) => a - b)
  return {
    database: database.name,
    reader: readers.name,
    sessions: count,
    perSecond: delays.length / (seconds - WARM_UP_SECONDS),
    p50: delays[Math.floor(delays.length * 0.5)]!,
    p99: delays[Math.floor(delays.length * 0.99)]!,
    max: delays.at(-1)!,
    cpuPercent: (user + system) / 10_000 / seconds,
  }
}

/** One append in flight per session; a tick that comes while one is waits its turn, and its wait counts. */
async function writeEvenly(engine: Engine, { session_id, epoch }: Lease, phase: number): Promise<void> {
  const journal = journalOf(engine)
  const startedAt = performance.now()
  const gapMs = 1_000 / EVENTS_PER_SECOND
  for (let n = 0; n < EVENTS_PER_SECOND * (SECONDS + WARM_UP_SECONDS); n++) {
    const due = startedAt + (n + phase) * gapMs
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    await journal.append(session_id, epoch, [textEvent(String(performance.now()))])
  }
}
