// An instance whose clock is wrong: tries to take over a live run, then lets a short lease of its own run out.
import { type Lease, findExpired, takeOver } from '../../../src/store/leases.ts'
import { running } from '../fixtures.ts'
import { openEngine } from './open-engine.ts'

const [at, skewMs, live] = process.argv.slice(2) as [string, string, string]
const rightTime = Date.now
Date.now = () => rightTime() + Number(skewMs)

const engine = await openEngine(at)
const found = await engine.read(() => findExpired(engine, 10))
const taken = await engine.write(() => takeOver(JSON.parse(live) as Lease, 'thief', 10_000))
console.log(`thief found ${found.length}, took ${taken ? taken.session_id : 'nothing'}`)

const lease = await running(engine, { owner: 'skewed', leaseMs: 20 })
while ((await engine.read(() => findExpired(engine, 10))).length === 0)
  await new Promise((resolve) => setTimeout(resolve, 10))
console.log(`lease ${JSON.stringify(lease)}`)
await engine[Symbol.asyncDispose]()
