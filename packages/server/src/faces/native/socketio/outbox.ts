import type { Socket } from 'socket.io'
import type { Shown } from '../encodings/shown.ts'

/** A socket that has this many characters waiting gets nothing more until they are on their way. */
const FULL_AT = 256 * 1024

/** All frames of one kind of text, shared by every socket that sends it. */
const frames = new WeakMap<Shown, string>()

// Written into by the library, so it cannot be frozen; compressing small texts costs more than it saves.
const OPTIONS = { compress: false }

/** The way out to one client. It holds a bounded amount; writers ask `isFull` first and wait for `drained`. */
export class Outbox {
  readonly #connection: Socket['conn']
  readonly #waiting = new Set<() => void>()
  #queued = 0

  constructor(socket: Socket) {
    this.#connection = socket.conn
    // The library says `drain` when it has handed everything to the transport, and then takes nothing more from us until
    // the transport is ready again: so at most twice `FULL_AT` and a frame is ever in memory.
    this.#connection.on('packetCreate', ({ data }: { data?: unknown }) => (this.#queued += lengthOf(data)))
    this.#connection.on('drain', () => this.#emptied())
    this.#connection.once('close', () => this.#emptied())
  }

  /** Counts acknowledgements and errors too, whoever wrote them. */
  get isFull(): boolean {
    return this.#queued >= FULL_AT
  }

  /** Writes the event as a Socket.IO packet of the default namespace, without making its text anew for each socket. */
  send(shown: Shown): void {
    this.#connection.write(frameOf(shown), OPTIONS)
  }

  /** Resolves when there is room, or when the signal says that nobody needs it any more. */
  async drained(signal: AbortSignal): Promise<void> {
    if (!this.isFull || signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #emptied(): void {
    this.#queued = 0
    for (const wake of this.#waiting) wake()
  }
}

/** `2` is an event in the Socket.IO protocol; the default namespace is not named. */
function frameOf(shown: Shown): string {
  const known = frames.get(shown)
  if (known) return known
  const frame = `2["${shown.name}",${shown.payload}]`
  frames.set(shown, frame)
  return frame
}

function lengthOf(data: unknown): number {
  return typeof data === 'string' ? data.length : 0
}
