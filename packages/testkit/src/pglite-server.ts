import { createServer, type Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

/** Types of messages, and states of a session. */
const QUERY = 'Q'
const SYNC = 'S'
const IDLE = 'I'

const db = await PGlite.create({ extensions: { vector } })
const server = createServer({ noDelay: true }, (socket) => void serve(socket).catch(() => socket.destroy()))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.stdout.write(`postgres://postgres@127.0.0.1:${port}/postgres\n`)
})

/** It does not outlive whoever started it. */
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit()
}, 1_000)

/** The database has one session for all: whoever has begun a transaction has it alone until that ends. */
async function serve(socket: Socket): Promise<void> {
  let leave: (() => void) | undefined
  try {
    for await (const request of requestsOf(socket)) {
      leave ??= await enter()
      let state = ''
      for (const message of request) {
        const answer = await db.execProtocolRaw(message)
        socket.write(answer)
        state = String.fromCharCode(answer.at(-1) ?? 0)
      }
      if (state !== IDLE) continue
      leave()
      leave = undefined
    }
  } finally {
    if (leave) await db.exec('ROLLBACK')
    leave?.()
  }
}

let last = Promise.resolve()

/** One after another: resolves with what lets the next one in. */
async function enter(): Promise<() => void> {
  const before = last
  const { promise, resolve } = Promise.withResolvers<void>()
  last = promise
  await before
  return resolve
}

/** Messages up to the one that is answered with the state of the session; the first, which has no type, is one by itself. */
async function* requestsOf(socket: Socket): AsyncGenerator<Uint8Array[]> {
  let bytes = Buffer.alloc(0)
  let messages: Uint8Array[] = []
  let typeLength = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= typeLength + 4) {
      const length = typeLength + bytes.readInt32BE(typeLength)
      if (bytes.length < length) break
      const type = String.fromCharCode(bytes[0]!)
      messages.push(Uint8Array.from(bytes.subarray(0, length)))
      bytes = bytes.subarray(length)
      if (typeLength === 1 && type !== QUERY && type !== SYNC) continue
      yield messages
      messages = []
      typeLength = 1
    }
  }
}
