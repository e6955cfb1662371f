import type { NewEvent } from '../../packages/server/src/store/append.ts'
import type { Lease } from '../../packages/server/src/store/gate.ts'
import { type Database, journalOf, startRuns, structuralEvent, textEvent } from './databases.ts'

export type Throughput = {
  database: string
  what: string
  eventsPerSecond: number
  cpuMicroseconds: number
  ofRaw: number
}

const SLICE_MS = 300
const ROUNDS = 7
const SESSIONS = 50

type Variant = { what: string; raw?: string; eventsPerStep: number; step: () => unknown }

/** All variants in turn, in short slices, so that a busy moment of the machine hits them alike; the median counts. */
export async function measureThroughput(database: Database): Promise<Throughput[]> {
  const variants = await variantsOf(database)
  const slices = new Map(variants.map(({ what }) => [what, [] as { rate: number; cpu: number }[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const variant of variants) slices.get(variant.what)!.push(await slice(variant))
  const median = (what: string, key: 'rate' | 'cpu') =>
    slices
      .get(what)!
      .map((each) => each[key])
      .sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
  return variants.map(({ what, raw = what }) => ({
    database: database.name,
    what,
    eventsPerSecond: median(what, 'rate'),
    cpuMicroseconds: median(what, 'cpu'),
    ofRaw: median(what, 'rate') / median(raw, 'rate'),
  }))
}

async function variantsOf({ engine, raw, name }: Database): Promise<Variant[]> {
  const journal = journalOf(engine)
  const runs = await startRuns(engine, SESSIONS)
  const append = ({ session_id, epoch }: Lease, ...events: NewEvent[]) => journal.append(session_id, epoch, events)
  const one = runs[0]!
  const durable: Variant[] = [
    { what: 'raw, 1 row per commit', eventsPerStep: 1, step: () => raw(1, 'full') },
    {
      what: 'journal, 1 structural event at a time',
      raw: 'raw, 1 row per commit',
      eventsPerStep: 1,
      step: () => append(one, structuralEvent()),
    },
    { what: `raw, ${SESSIONS} rows per commit`, eventsPerStep: SESSIONS, step: () => raw(SESSIONS, 'full') },
    {
      what: `journal, ${SESSIONS} sessions at once`,
      raw: `raw, ${SESSIONS} rows per commit`,
      eventsPerStep: SESSIONS,
      step: () => Promise.all(runs.map((run) => append(run, structuralEvent()))),
    },
    {
      what: `journal, ${SESSIONS} events in one append`,
      raw: `raw, ${SESSIONS} rows per commit`,
      eventsPerStep: SESSIONS,
      step: () => append(one, ...Array.from({ length: SESSIONS }, () => structuralEvent())),
    },
  ]
  if (name === 'postgres') return durable // it has one kind of commit
  return [
    ...durable,
    { what: 'raw, 1 row, not synced', eventsPerStep: 1, step: () => raw(1, 'normal') },
    {
      what: 'journal, 1 text event at a time',
      raw: 'raw, 1 row, not synced',
      eventsPerStep: 1,
      step: () => append(one, textEvent()),
    },
    { what: `raw, ${SESSIONS} rows, not synced`, eventsPerStep: SESSIONS, step: () => raw(SESSIONS, 'normal') },
    {
      what: `journal, text of ${SESSIONS} sessions at once`,
      raw: `raw, ${SESSIONS} rows, not synced`,
      eventsPerStep: SESSIONS,
      step: () => Promise.all(runs.map((run) => append(run, textEvent()))),
    },
  ]
}

async function slice({ step, eventsPerStep }: Variant): Promise<{ rate: number; cpu: number }> {
  await step()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  let events = 0
  while (performance.now() - startedAt < SLICE_MS) {
    await step()
    events += eventsPerStep
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { rate: events / seconds, cpu: (user + system) / events }
}
