import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { commentFrame, eventFrame } from './frames.ts'
import { withHeartbeat } from './with-heartbeat.ts'
import { withLastWord } from './with-last-word.ts'
import { writeStream } from './write-stream.ts'

test('a frame has the lines that were asked for, and no others', () => {
  expect(eventFrame({ id: 7, event: 'turn:end', data: '{}' })).toBe('id: 7\nevent: turn:end\ndata: {}\n\n')
  expect(eventFrame({ data: '[DONE]' })).toBe('data: [DONE]\n\n')
  expect(commentFrame('still here')).toBe(': still here\n\n')
})

test('beats come while nothing else does, and nothing is lost or left behind', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOver = false
  async function* items() {
    try {
      yield 'first'
      await promise
      yield 'second'
    } finally {
      isOver = true
    }
  }
  const seen: string[] = []
  for await (const item of withHeartbeat(items(), 2)) {
    seen.push(item)
    if (item === 'heartbeat') resolve()
    if (item === 'second') break
  }
  expect(seen.filter((item) => item !== 'heartbeat')).toEqual(['first', 'second'])
  expect(seen[1]).toBe('heartbeat')
  expect(isOver).toBe(true)
})

test.each([
  ['z', ['a', 'z']],
  [null, ['a']],
])('a stream that ends says its last word, if it has one: %j', async (word, expected) => {
  async function* frames() {
    yield 'a'
  }
  const said: string[] = []
  for await (const frame of withLastWord(frames(), () => word)) said.push(frame)
  expect(said).toEqual(expected)
})

test('a reader that does not read pulls nothing more, and one that hangs up ends it', async () => {
  const gone = new AbortController()
  let pulled = 0
  const MANY = 1_000
  async function* endless() {
    while (!gone.signal.aborted && pulled < MANY) {
      pulled += 1
      yield commentFrame('x'.repeat(64 * 1024))
    }
  }
  const { promise, resolve } = Promise.withResolvers<{ response: ServerResponse; written: Promise<void> }>()
  const server = createServer((_request, response) => {
    response.once('close', () => gone.abort())
    resolve({ response, written: writeStream(response, endless(), gone.signal) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const { response, written } = await promise
  // The kernel takes some of it before it says stop.
  for (let before = -1; before !== pulled;) {
    before = pulled
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  }
  expect(response.writableNeedDrain).toBe(true)
  expect(pulled).toBeLessThan(MANY)
  reader.destroy()
  await written
  expect(response.writableEnded).toBe(true)
  server.close()
})
