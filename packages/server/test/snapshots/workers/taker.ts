import { openEngine } from '../../store/workers/open-engine.ts'
import { Site } from '../site.ts'

// Takes the state before a change, and says when it has begun and when it is kept.
const [at, dataDir, session_id] = process.argv.slice(2) as [string, string, string]
const engine = await openEngine(at)
const site = new Site(engine, { dataDir, session_id })
console.log('begun')
await site.change()
console.log('kept')
await engine[Symbol.asyncDispose]()
