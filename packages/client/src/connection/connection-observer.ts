import type { Ack, EventName, EventPayload } from '@parley/protocol'
import type { ConnectionState } from './connection-machine.ts'
import type { OutgoingCommand } from './intercept-emits.ts'

/** What the followed sessions need to hear. */
export type ConnectionObserver = {
  /** Before any listener of the application; may fill in what the wire left out. */
  received(name: EventName, payload: EventPayload): void
  /** The connection went: whatever is sent now goes out first when it is back. */
  lost(): void
  changed(state: ConnectionState): void
  /** The application sends a command of its own. Returns it as it should go out, or null to keep it back. */
  outgoing(command: OutgoingCommand): OutgoingCommand | null
  /** A command of the application was acknowledged. */
  acknowledged(command: OutgoingCommand, ack: Ack): void
}
