import type {
  Ack,
  ChatSendOk,
  EventName,
  EventPayload,
  SessionEvent,
  SubscribeOk,
  TurnProjection,
} from '@parley/protocol'
import type { Ports } from '../ports.ts'
import { Connection } from '../connection/connection.ts'
import type { ConnectionState } from '../connection/connection-machine.ts'
import type { ConnectionObserver } from '../connection/connection-observer.ts'
import type { OutgoingCommand } from '../connection/intercept-emits.ts'
import type { ClientOptions } from '../resolve-options.ts'
import type { Rest } from '../rest/rest.ts'
import { AgentSession, type ConnectOptions } from './agent-session.ts'
import { SessionStore } from './session-store.ts'

/** How long a server may take to say what it can do. */
const CAPABILITIES_MS = 5_000

/** The sessions one client follows over its one connection, whoever asked for them: the SDK or the application. */
export class FollowedSessions implements ConnectionObserver {
  readonly connection: Connection
  readonly #rest: Rest
  readonly #ports: Ports
  readonly #stores = new Map<string, SessionStore>()

  constructor(options: ClientOptions, rest: Rest & { refresh(): Promise<boolean> }) {
    this.#rest = rest
    this.#ports = options.ports
    this.connection = new Connection({
      ...options,
      loadCapabilities: () => loadCapabilities(rest, options.ports.timeout(CAPABILITIES_MS)),
      refresh: () => rest.refresh(),
      observer: this,
    })
  }

  connect(id: string, options: ConnectOptions = {}): AgentSession {
    const parts = { connection: this.connection, rest: this.#rest, ports: this.#ports }
    return new AgentSession({ ...options, ...parts, id, store: this.#open(id) })
  }

  /** The application read turns by itself: patches that follow may belong to them. */
  absorb(session_id: string, turns: readonly TurnProjection[]): void {
    this.#stores.get(session_id)?.absorb(turns)
  }

  received(name: EventName, payload: EventPayload): void {
    const store = this.#stores.get(payload.session_id ?? '')
    store?.receive({ name, payload } as SessionEvent, { isDelta: this.connection.can('patch_mode') })
  }

  lost(): void {
    for (const store of this.#stores.values()) store.lost()
  }

  changed(state: ConnectionState): void {
    for (const store of this.#stores.values()) store.connectionChanged(state)
  }

  outgoing(command: OutgoingCommand): OutgoingCommand | null {
    const { name, payload } = command
    switch (name) {
      case 'session:subscribe':
        this.#open(payload.session_id).adopt()
        return { ...command, payload: { patch_mode: 'delta', ...payload }, isRepeatable: true }
      case 'session:unsubscribe':
        return this.#stores.get(payload.session_id)?.abandon() === false ? null : command
      case 'chat:send':
      case 'chat:append':
        return {
          ...command,
          payload: { client_message_id: this.#ports.newMessageId(), ...payload },
          isRepeatable: true,
        }
      case 'chat:stop':
      case 'chat:compact':
        return command
    }
  }

  acknowledged({ name, payload }: OutgoingCommand, ack: Ack): void {
    const { session_id } = payload
    if (name === 'chat:send' && ack.status === 'ok') this.#open((ack as ChatSendOk).session_id).adoptAccepted()
    if (name !== 'session:subscribe') return
    if (ack.status === 'ok') this.#stores.get(session_id)?.subscribed(ack as SubscribeOk, payload['since'] != null)
    else this.#stores.get(session_id)?.unsubscribed()
  }

  #open(sessionId: string): SessionStore {
    const known = this.#stores.get(sessionId)
    if (known) return known
    const { connection } = this
    const onIdle = () => this.#stores.delete(sessionId)
    const store = new SessionStore({ sessionId, connection, rest: this.#rest, ports: this.#ports, onIdle })
    this.#stores.set(sessionId, store)
    return store
  }
}

async function loadCapabilities(rest: Rest, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const response = await rest.raw('/api/version', { signal })
  // Servers without extensions may not have the route at all.
  if (!response.ok) return new Set()
  const { capabilities = [] } = (await response.json()) as { capabilities?: string[] }
  return new Set(capabilities)
}
