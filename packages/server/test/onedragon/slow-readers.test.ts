import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { writeSlowly } from '../../src/faces/onedragon/write-slowly.ts'

const never = new AbortController().signal
/** More than the system keeps for a reader. */
const LONG = 'x'.repeat(24 * 1024 * 1024)

type Pair = AsyncDisposable & { response: ServerResponse; reader: Socket }

/** A response, and the bare socket of whoever asked for it. */
async function openPair(): Promise<Pair> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = once(server, 'request')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1')
  reader.on('error', () => undefined)
  reader.pause()
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = (await asked)[1] as ServerResponse
  return {
    response,
    reader,
    async [Symbol.asyncDispose]() {
      reader.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('[O10.5] a reader that takes nothing for so long is disconnected', async () => {
  await using pair = await openPair()
  const { response } = pair
  expect(await writeSlowly(response, LONG, { stallMs: 300, gone: never })).toBe(false)
  expect(response.destroyed).toBe(true)
})

test('[O10.5] one that reads slowly is not, however long it takes in all', async () => {
  await using pair = await openPair()
  const { response, reader } = pair
  // Reader and writer share this process: a busy machine stops both for a second.
  const stallMs = 3_000
  const startedAt = performance.now()
  const written = writeSlowly(response, LONG, { stallMs, gone: never })
  void (async () => {
    for await (const chunk of reader as AsyncIterable<Buffer>) await delay(chunk.length / 5_000)
  })().catch(() => undefined)
  expect(await written).toBe(true)
  expect(performance.now() - startedAt).toBeGreaterThan(stallMs)
})

test('nobody waits for a reader that has hung up', async () => {
  await using pair = await openPair()
  const { response, reader } = pair
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const written = writeSlowly(response, LONG, { stallMs: 60_000, gone: gone.signal })
  reader.destroy()
  expect(await written).toBe(false)
})
