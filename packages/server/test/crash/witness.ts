import { randomUUID } from 'node:crypto'
import {
  emptyProjection,
  type Projection,
  reduce,
  type SessionEvent,
  type Session,
  type TurnProjection,
  withRestTurns,
  isEventName,
} from '@parley/protocol'
import { io, type Socket } from 'socket.io-client'

/** A client that loses its server again and again, comes back with `since`, and keeps the picture it has. */
export class Witness implements Disposable {
  projection: Projection = emptyProjection
  /** Event names in the order of arrival. */
  readonly seen: string[] = []
  readonly #socket: Socket
  readonly #urls: () => string
  readonly #key: string
  readonly #session_id: string
  readonly #changed = new Set<() => void>()

  constructor(urls: () => string, key: string, session_id: string) {
    this.#urls = urls
    this.#key = key
    this.#session_id = session_id
    this.#socket = io(urls(), {
      auth: { token: key, patch_mode: 'delta' },
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: 30,
      reconnectionDelayMax: 60,
      randomizationFactor: 0,
    })
    // A server that dies meanwhile is met again at the next connect.
    this.#socket.on('connect', () => void this.#catchUp().catch(() => undefined))
    this.#socket.onAny((name: string, payload: { session_id?: string }) => this.#fold(name, payload))
  }

  /** Resolves once the projection fits. */
  async until(fits: (projection: Projection) => boolean, timeoutMs = 20_000): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!fits(this.projection)) {
      if (Date.now() > deadline)
        throw new Error(
          `The witness waited in vain. It saw: ${this.seen.slice(-12).join(', ')}; status ${this.projection.status}`,
        )
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 250)
        const changed = this.#changed
        function done() {
          clearTimeout(timer)
          changed.delete(done)
          resolve()
        }
        changed.add(done)
      })
    }
  }

  /** Sends until the server says that it was accepted; a retry carries the same id. */
  async send(command: Record<string, unknown>): Promise<{ run_id: string }> {
    const payload = { session_id: this.#session_id, client_message_id: randomUUID(), ...command }
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        const ack = (await this.#socket.timeout(1_000).emitWithAck('chat:send', payload)) as {
          status: string
          code: string
          message: string
          run_id: string
        }
        if (ack.status === 'ok') return ack
        throw new Error(`${ack.code}: ${ack.message}`)
      } catch (error) {
        if (
          (error as Error).message.startsWith('operation has timed out') ||
          (error as Error).message.includes('disconnected')
        )
          continue
        throw error
      }
    }
    throw new Error('chat:send was never acknowledged')
  }

  /** Any other command; rejects with `code: message`. */
  async emit(name: string, payload: object): Promise<void> {
    const ack = (await this.#socket.timeout(5_000).emitWithAck(name, payload)) as {
      status: string
      code: string
      message: string
    }
    if (ack.status !== 'ok') throw new Error(`${ack.code}: ${ack.message}`)
  }

  onEvent(name: string, listener: () => void): void {
    this.#socket.on(name, listener)
  }

  /** Resolves when no run is active, as far as this client has been told. */
  async idle(): Promise<void> {
    const isRunning = async () => (await this.session()).status === 'running'
    while (await isRunning()) await this.until(({ run_id }) => run_id === null)
    await this.until(({ run_id, status }) => run_id === null && status !== 'running')
  }

  async messages(): Promise<TurnProjection[]> {
    return (await this.#get(`/api/sessions/${this.#session_id}/messages`)) as TurnProjection[]
  }

  async session(): Promise<Session> {
    return (await this.#get(`/api/sessions/${this.#session_id}`)) as Session
  }

  [Symbol.dispose](): void {
    this.#socket.disconnect()
  }

  async #catchUp(): Promise<void> {
    const { event_seq } = this.projection
    const ack = (await this.#socket.emitWithAck('session:subscribe', {
      session_id: this.#session_id,
      since: event_seq,
      resync: false,
    })) as { replayed?: boolean; session?: Session; run_id?: string | null }
    if (ack.replayed !== false) return
    // What we had could not be continued: history over REST, and the rest live.
    this.projection = withRestTurns(
      { ...this.projection, run_id: ack.run_id ?? null, status: ack.session?.status ?? null },
      await this.messages(),
    )
    this.#tell()
  }

  #fold(name: string, payload: { session_id?: string }): void {
    this.seen.push(name)
    if (isEventName(name) && payload.session_id === this.#session_id)
      this.projection = reduce(this.projection, { name, payload } as unknown as SessionEvent)
    this.#tell()
  }

  #tell(): void {
    for (const wake of [...this.#changed]) wake()
  }

  async #get(path: string): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        const reply = await fetch(this.#urls() + path, { headers: { authorization: `Bearer ${this.#key}` } })
        if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
        return await reply.json()
      } catch (error) {
        if (attempt > 100 || !(error instanceof TypeError)) throw error
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
}
