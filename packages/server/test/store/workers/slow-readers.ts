// 200 sockets whose peers never read, each fed from `follow`, while 10 MB are appended, or afterwards; one more reader
// keeps up. Prints what that cost this process, sockets included.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { StoredEvent } from '../../../src/store/work.ts'
import { increment, journalOf, newSession, oneTo } from '../fixtures.ts'
import { openEngine } from './open-engine.ts'

const [at, start, eventBytes] = process.argv.slice(2) as [string, 'live' | 'late', string]
const READERS = 200
const EVENTS = Math.floor((10 * 1024 * 1024) / Number(eventBytes))
const EVENTS_PER_APPEND = Math.ceil(10_000 / Number(eventBytes))

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const engine = await openEngine(at)
const journal = journalOf(engine)
const session_id = await newSession(engine)
const leave = new AbortController()
const text = 'x'.repeat(Number(eventBytes))
let shown = 0

const listener = createServer((socket) => {
  const frames = Readable.from(framesOf(journal.follow(session_id, { since: 0, signal: leave.signal, maxLag: EVENTS })))
  void pipeline(frames, socket).catch(() => undefined)
})
// Late readers get a local socket: it holds little, so they stall at once, where TCP takes megabytes for each.
if (start === 'live') listener.listen(0, '127.0.0.1')
else listener.listen({ path: join(tmpdir(), `parley-${randomUUID()}.sock`) })
await once(listener, 'listening')
const address = listener.address() as string | { port: number }

await journal.append(session_id, null, [increment(`1 ${text}`)])
if (start === 'late') await appendAll()
const before = await memory()
const peers = await Promise.all(oneTo(READERS).map(deafPeer))
const keepingUp = countEvents()
if (start === 'live') await appendAll()
const read = await keepingUp
await untilNothingIsShown()
const after = await memory()
console.log(`memory ${JSON.stringify({ events: EVENTS, read, shown: Math.round(shown / READERS), before, after })}`)

leave.abort()
for (const peer of peers) peer.destroy()
listener.close()
await engine[Symbol.asyncDispose]()

async function appendAll(): Promise<void> {
  for (let n = 2; n <= EVENTS; n += EVENTS_PER_APPEND) {
    const count = Math.min(EVENTS_PER_APPEND, EVENTS - n + 1)
    await journal.append(
      session_id,
      null,
      oneTo(count).map((k) => increment(`${n + k - 1} ${text}`)),
    )
  }
}

/** Every deaf reader's buffers are full: nothing moves any more. */
async function untilNothingIsShown(): Promise<void> {
  for (let seen = -1; seen !== shown;) {
    seen = shown
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function* framesOf(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    shown += page.length
    yield page.map(({ event_seq, data }) => `id: ${event_seq}\ndata: ${data}\n\n`).join('')
  }
}

async function deafPeer(): Promise<Socket> {
  const peer = typeof address === 'string' ? connect(address) : connect(address.port, '127.0.0.1')
  peer.pause()
  await once(peer, 'connect')
  return peer
}

async function countEvents(): Promise<number> {
  let last = 0
  for await (const page of journal.follow(session_id, { since: 0, signal: leave.signal, maxLag: EVENTS })) {
    for (const { event_seq } of page) {
      if (event_seq !== last + 1) throw new Error(`${event_seq} after ${last}`)
      last = event_seq
    }
    if (last === EVENTS) break
  }
  return last
}

/** In MB, after whatever is garbage is gone. */
async function memory() {
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate)
    gc()
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  const inMegabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  return { rss: inMegabytes(rss), heap: inMegabytes(heapUsed), external: inMegabytes(external) }
}
