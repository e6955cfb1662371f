import type { IncomingMessage } from 'node:http'
import type { Socket as Wire } from 'node:net'
import { STRANGER_BYTES } from '../../../http/limits.ts'

/** Whoever means it is greeted within moments, so beyond this the one that has waited longest goes. */
const MAX_STRANGERS = 256

/** A connection as Engine.IO has it, which knows nothing of namespaces and events. */
export type EngineConnection = {
  id: string
  /** The one that opened it. */
  request: IncomingMessage
  transport: { name: string }
  once(event: 'close', listener: () => void): unknown
  close(discard: boolean): void
}

type Stranger = { connection: EngineConnection; bytes: number; wires: Map<Wire, (chunk: Buffer) => void> }

/**
 * Connections that have not said who they are: few of them, and little of what they send. They take no place from those
 * who have, and nobody can keep the door shut by standing in it.
 */
export class Strangers {
  readonly #strangers = new Map<string, Stranger>()
  readonly #max: number

  constructor(max = MAX_STRANGERS) {
    this.#max = max
  }

  get size(): number {
    return this.#strangers.size
  }

  has(id: string): boolean {
    return this.#strangers.has(id)
  }

  arrived(connection: EngineConnection): void {
    this.#strangers.set(connection.id, { connection, bytes: 0, wires: new Map() })
    connection.once('close', () => this.greeted(connection.id))
    // Polls come over connections that serve other requests too; they are counted by their bodies.
    if (connection.transport.name === 'websocket') this.watch(connection.id, connection.request.socket)
    if (this.size > this.#max) this.#expel(this.#strangers.keys().next().value!)
  }

  /** They are known now, or gone. */
  greeted(id: string): void {
    const stranger = this.#strangers.get(id)
    this.#strangers.delete(id)
    for (const [wire, count] of stranger?.wires ?? []) wire.off('data', count)
  }

  /** Counts what comes over a connection that is theirs alone. */
  watch(id: string, wire: Wire): void {
    const count = ({ length }: Buffer) => void this.mayTake(id, length)
    wire.on('data', count)
    this.#strangers.get(id)?.wires.set(wire, count)
  }

  /** `false`, and the connection is cut, when a stranger would have sent more than a greeting. */
  mayTake(id: string, bytes: number): boolean {
    const stranger = this.#strangers.get(id)
    if (!stranger) return true
    stranger.bytes += bytes
    // Not a number is a body that does not say its length.
    if (stranger.bytes <= STRANGER_BYTES) return true
    this.#expel(id)
    return false
  }

  #expel(id: string): void {
    const { connection, wires } = this.#strangers.get(id)!
    this.greeted(id)
    connection.close(true)
    // Without waiting for goodbyes.
    for (const wire of wires.keys()) wire.destroy()
  }
}
