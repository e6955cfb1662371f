import { openEngine } from '../../store/workers/open-engine.ts'
import { Site } from '../site.ts'

// Goes back to before a turn, and says when it has begun and when it is done.
const [at, dataDir, session_id, before] = process.argv.slice(2) as [string, string, string, string]
const engine = await openEngine(at)
const site = new Site(engine, { dataDir, session_id })
console.log('begun')
console.log(`done ${JSON.stringify(await site.restore(Number(before)))}`)
await engine[Symbol.asyncDispose]()
