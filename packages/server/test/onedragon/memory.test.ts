import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { onedragonSchema } from '../../src/config/onedragon-options.ts'
import { OWNER_KEY, sharedWorld, type World } from '../wire/world.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const READERS = 8
const SECONDS = 10
/** Told whole a hundred times a second, until it is told less often for its length: more than 1.6 MB/s for each reader. */
const world = sharedWorld('sqlite', { faces: { onedragon: onedragonSchema.parse({ updateIntervalMs: 10 }) } })

/** Reads 10 KB/s, and remembers nothing but the end. */
class SlowReader implements Disposable {
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  #tail = ''
  bytes = 0

  constructor(at: World, user_input: string) {
    const { hostname, port } = new URL(at.url)
    const body = JSON.stringify({ user_input })
    this.#socket = connect({ host: hostname, port: Number(port) })
    const head = [
      'POST /chat/stream HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${OWNER_KEY}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    this.#timer = setInterval(() => this.#take(this.#socket.read(1_000) as Buffer | null), 100)
  }

  /** The rest, as fast as it comes: how it ends. */
  async end(): Promise<string> {
    clearInterval(this.#timer)
    for await (const part of this.#socket as AsyncIterable<Buffer>) this.#take(part)
    return this.#tail
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#socket.destroy()
  }

  #take(part: Buffer | null): void {
    if (!part) return
    this.bytes += part.length
    this.#tail = (this.#tail + part.toString('latin1')).slice(-1_000)
  }
}

/** What this process holds in MB, once all that is garbage is gone. */
async function memory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate)
    gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}

test(
  '[O16.6] [O10.2] [O10.5] readers of 10 KB/s cost the same after ten seconds of a long answer as after three',
  { timeout: 120_000 },
  async () => {
    const questions = Array.from({ length: READERS }, (_, index) => `memory: ${index}`)
    const text = Array.from({ length: 32_000 }, (_, index) => `${String(index % 1_000).padStart(3, '0')} `).join('')
    for (const question of questions) world().learn({ [question]: [{ text, chunkChars: 120, chunkDelayMs: 10 }] })
    using readers = new DisposableStack()
    const all = questions.map((question) => readers.use(new SlowReader(world(), question)))
    const held: number[] = []
    for (let second = 1; second <= SECONDS; second++) {
      await delay(1_000)
      held.push(await memory())
    }
    const [, , early = 0] = held
    // Each holds its message a few times over, and that has grown; a second of what was not read would be more.
    expect(Math.max(...held.slice(3)) - early).toBeLessThan(8)
    for (const reader of all) expect(reader.bytes).toBeLessThan(SECONDS * 20_000)
    for (const end of await Promise.all(all.map((reader) => reader.end())))
      expect(end).toContain('"type":"response_completed"')
  },
)
