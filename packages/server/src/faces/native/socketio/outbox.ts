import type { Socket } from 'socket.io'
import type { Shown } from '../encodings/shown.ts'

/** A socket that has this many characters waiting gets nothing more until they are on their way. */
const FULL_AT = 256 * 1024

/** A packet as text, and what the library is told about it: the same for every socket that sends it. */
type Frame = { text: string; options: { compress: false; wsPreEncodedFrame: [Buffer] } }

const frames = new WeakMap<Shown, Frame>()

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

  /** Writes the event as a Socket.IO packet of the default namespace, without making it anew for each socket. */
  send(shown: Shown): void {
    const { text, options } = frameOf(shown)
    this.#connection.write(text, options)
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

/**
 * `2` is an event in the Socket.IO protocol; the default namespace is not named. Compressing small texts costs more than
 * it saves. A socket that polls takes the text, a WebSocket the frame.
 */
function frameOf(shown: Shown): Frame {
  const known = frames.get(shown)
  if (known) return known
  const text = `2["${shown.name}",${shown.payload}]`
  const frame: Frame = { text, options: { compress: false, wsPreEncodedFrame: [webSocketFrame(`4${text}`)] } }
  frames.set(shown, frame)
  return frame
}

/** One text message, as RFC 6455, section 5.2, has it from a server: whole and unmasked, in one piece of memory. */
function webSocketFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = 0x81
  if (header === 2) frame[1] = length
  else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, header)
  return frame
}

function lengthOf(data: unknown): number {
  return typeof data === 'string' ? data.length : 0
}
