/** Has a job done that never ends, and says which process does it. */
import { readFileSync } from 'node:fs'
import { LimitedProcess } from '../../../src/foreign/limited-process.ts'

const worker = new LimitedProcess({ job: 'schema', timeLimitMs: 600_000, memoryMb: 64 })
const ready = await worker.run({ schema: '{}', value: '1' })
const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
console.log(`worker ${children.trim()} ${JSON.stringify(ready)}`)
void worker.run({ schema: '{"pattern":"^(a+)+$"}', value: JSON.stringify(`${'a'.repeat(60)}!`) })
setInterval(() => undefined, 1_000)
