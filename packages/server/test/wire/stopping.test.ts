import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { OWNER_KEY, World } from './world.ts'

const DRAIN_MS = 500

const STREAMS: [name: string, path: (session_id: string) => string, body: object][] = [
  ['the native protocol', (id) => `/api/sessions/${id}/chat`, { message: 'stops: now' }],
  ['agent-sse', () => '/api/agent/chat/stream', { message: 'stops: now' }],
  ['OneDragon', () => '/chat/stream', { user_input: 'stops: now' }],
]

describe.each(STREAMS)('[D3] during an event stream of %s, a stopping server does not wait', (_name, path, body) => {
  test('for a connection that its client would use again', async () => {
    await using world = await World.open('sqlite', { drainMs: DRAIN_MS })
    world.learn({ 'stops: now': [{ text: 'half an answer', hang: 'after' }] })
    using reader = await Reader.open(world, path(await world.newSession()), body)
    await reader.until('half an answer')
    expect(await timeToStop(world)).toBeLessThan(DRAIN_MS + 2_000)
  })

  test('for a reader that takes nothing', async () => {
    await using world = await World.open('sqlite', { drainMs: DRAIN_MS })
    const text = Array.from({ length: 900 }, () => 'y'.repeat(999)).join(' ')
    // More than sockets hold, on either side.
    const rounds = 6
    world.learn({
      'stops: now': (_request, round) =>
        round < rounds ? { text, calls: [{ name: 'Nothing', arguments: { round } }] } : { hang: 'before' },
    })
    using reader = await Reader.open(world, path(await world.newSession()), body)
    await reader.until('200 OK')
    reader.pause()
    await vi.waitFor(() => expect(world.requests('stops: now')).toHaveLength(rounds + 1), { timeout: 45_000 })
    expect(await timeToStop(world)).toBeLessThan(DRAIN_MS + 2_000)
  })
})

async function timeToStop(world: World): Promise<number> {
  const begun = performance.now()
  await world.stop()
  return performance.now() - begun
}

/** Asks for an event stream on a connection that it never closes. */
class Reader implements Disposable {
  readonly #socket
  #heard = ''

  static async open(world: World, path: string, body: object): Promise<Reader> {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const text = JSON.stringify(body)
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      `authorization: Bearer ${OWNER_KEY}`,
      'accept: text/event-stream',
      'content-type: application/json',
      'connection: keep-alive',
      `content-length: ${Buffer.byteLength(text)}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
    return new Reader(socket)
  }

  constructor(socket: ReturnType<typeof connect>) {
    this.#socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => (this.#heard += bytes.toString()))
  }

  async until(words: string): Promise<void> {
    while (!this.#heard.includes(words)) await once(this.#socket, 'data')
  }

  pause(): void {
    this.#socket.pause()
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}
