// Stores a structural event, then text that it shows at once, as a run does; says how long the WAL was in between.
import { statSync } from 'node:fs'
import { increment, journalOf, oneTo, running, structural } from '../fixtures.ts'
import { openEngine } from './open-engine.ts'

const [directory] = process.argv.slice(2) as [string]
const engine = await openEngine(directory)
const journal = journalOf(engine)
const lease = await running(engine)
const { session_id, epoch } = lease
const promised = await journal.append(session_id, epoch, [structural('question')])
const walBytes = statSync(`${directory}/parley.sqlite-wal`).size
for (const n of oneTo(5)) await journal.append(session_id, epoch, [increment(`shown ${n}`)])
const shown = await journal.append(session_id, epoch, [increment('shown last')])
console.log(`shown ${JSON.stringify({ lease, promised: promised.head, shown: shown.head, walBytes })}`)
setInterval(() => undefined, 1_000)
