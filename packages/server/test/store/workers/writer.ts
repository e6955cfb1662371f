// Appends to sessions for ever, or `count` times each, several at once, and prints every append once it is acknowledged.
import { increment, journalOf, structural } from '../fixtures.ts'
import { openEngine } from './open-engine.ts'

const [at, name, count, ...sessions] = process.argv.slice(2) as [string, string, string, ...string[]]
const engine = await openEngine(at)
const journal = journalOf(engine)
console.log('ready')

await Promise.all(sessions.map(appendOneAfterAnother))
await engine[Symbol.asyncDispose]()
console.log('done')

async function appendOneAfterAnother(session_id: string): Promise<void> {
  for (let n = 1; n <= Number(count); n++) {
    const text = `${name} ${n}`
    const { head } = await journal.append(session_id, null, [n % 5 === 0 ? structural(text) : increment(text)])
    console.log(`acknowledged ${session_id} ${head} ${text};`)
  }
}
