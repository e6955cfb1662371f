// Owns a run, falls into a frozen sleep at a chosen moment, and says what became of its append after waking.
import { appendEvents } from '../../../src/store/append.ts'
import { runSql, type Work } from '../../../src/store/work.ts'
import { journalOf, running, structural } from '../fixtures.ts'
import { openEngine } from './open-engine.ts'

const [at, moment, leaseMs] = process.argv.slice(2) as [string, 'between appends' | 'inside an append', string]
const engine = await openEngine(at, { leaseMs: Number(leaseMs) })
const journal = journalOf(engine)
const lease = await running(engine, { owner: 'sleepy', leaseMs: Number(leaseMs) })
await journal.append(lease.session_id, lease.epoch, [structural('before the sleep')])
console.log(`lease ${JSON.stringify(lease)}`)

try {
  const { head } = moment === 'between appends' ? await appendAfterSleep() : await appendAroundSleep()
  console.log(`outcome stored ${head}`)
} catch (error) {
  console.log(`outcome ${(error as { code?: string }).code ?? String(error)}`)
}
await engine[Symbol.asyncDispose]()

async function appendAfterSleep() {
  sleep()
  return journal.append(lease.session_id, lease.epoch, [structural('after the sleep')])
}

async function appendAroundSleep() {
  const append = journal.appending(lease.session_id, lease.epoch, [structural('around the sleep')])
  let hasSlept = false
  return engine.write(
    function* () {
      const appended = yield* appendEvents(append)
      if (!hasSlept) sleep()
      hasSlept = true
      return appended
    },
    { confirm: () => findAppended(append.batch) },
  )
}

function* findAppended(batch: string): Work<{ head: number; at: number; stop_requested: boolean } | undefined> {
  const [gate] = yield* runSql<{ head: number }>('SELECT head FROM gates WHERE session_id = ? AND last_batch LIKE ?', [
    lease.session_id,
    `${batch}:%`,
  ])
  return gate && { head: gate.head, at: 0, stop_requested: false }
}

function sleep(): void {
  process.kill(process.pid, 'SIGSTOP')
}
