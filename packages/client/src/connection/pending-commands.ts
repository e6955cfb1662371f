import type { Ack, ClientToServerEvents, CommandName, CommandOk } from '@parley/protocol'
import { AgentError, type ErrorCode } from '@parley/protocol'
import type { OutgoingCommand, Reply } from './intercept-emits.ts'

export type CommandPayload<Name extends CommandName> = Parameters<ClientToServerEvents[Name]>[0]

export type CommandOptions<Name extends CommandName> = {
  isRepeatable?: boolean
  signal?: AbortSignal | undefined
  /**
   * Called before any event that follows the acknowledgement. Not for one that had to be repeated: what it started may
   * be over by then.
   */
  onAccepted?: (ack: CommandOk[Name]) => void
}

export type Pending = {
  name: CommandName
  payload: object
  isRepeatable: boolean
  reply: Reply
  transmissions: number
}

export type Wire = { send(name: string, payload: object, onAnswer: (...answer: unknown[]) => void): unknown }

/** The commands without an acknowledgement yet. */
export class PendingCommands {
  readonly #pending = new Set<Pending>()
  readonly #wire: Wire
  readonly #onAnswered: () => void

  constructor(wire: Wire, onAnswered: () => void) {
    this.#wire = wire
    this.#onAnswered = onAnswered
  }

  get all(): readonly Pending[] {
    return [...this.#pending]
  }

  /** Waits for the acknowledgement; an error in it rejects. */
  send<Name extends CommandName>(
    name: Name,
    payload: CommandPayload<Name>,
    { isRepeatable = true, signal, onAccepted }: CommandOptions<Name>,
  ): Promise<CommandOk[Name]> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => {
        signal?.removeEventListener('abort', abort)
        reject(error)
      }
      const answered = ([answer]: unknown[]) => {
        const ack = answer as Ack<Name>
        if (ack.status !== 'ok') return failed(errorOfAck(ack))
        signal?.removeEventListener('abort', abort)
        if (pending.transmissions === 1) onAccepted?.(ack)
        resolve(ack)
      }
      const pending: Pending = { name, payload, isRepeatable, reply: { answered, failed }, transmissions: 0 }
      const abort = () => this.#fail(pending, signal?.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
      this.#transmit(pending)
    })
  }

  forward(command: OutgoingCommand, reply: Reply): void {
    this.#transmit({ ...command, reply, transmissions: 0 })
  }

  /** The connection these went out on is gone. `canRepeat`: the server recognises what it has seen before. */
  repeat(unanswered: readonly Pending[], { canRepeat }: { canRepeat: boolean }): void {
    for (const pending of unanswered) {
      if (!this.#pending.has(pending)) continue
      if (pending.isRepeatable && canRepeat) this.#transmit(pending)
      else this.#fail(pending, new Error('The connection was lost before the server answered.'))
    }
  }

  failAll(error: Error): void {
    for (const pending of this.#pending) this.#fail(pending, error)
  }

  #transmit(pending: Pending): void {
    this.#pending.add(pending)
    pending.transmissions += 1
    this.#wire.send(pending.name, pending.payload, (...answer: unknown[]) => {
      if (this.#pending.delete(pending)) pending.reply.answered(answer)
      this.#onAnswered()
    })
  }

  #fail(pending: Pending, error: Error): void {
    if (this.#pending.delete(pending)) pending.reply.failed(error)
  }
}

function errorOfAck({ code, message, ...details }: { code: string; message: string }): AgentError {
  return new AgentError(code as ErrorCode, message, { details })
}
