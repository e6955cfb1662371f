import type { AccountChanged } from '@parley/protocol/rest'
import type { Server, Socket } from 'socket.io'
import type { AccountChange } from '../../../store/work.ts'

/** What is told together goes together. */
const GATHER_MS = 50
/** So at most two a second, whatever happens. */
const APART_MS = 500
/** With more than these, nobody reads them one by one. */
const MAX_NAMED = 100

type Pending = { sessions: Set<string>; inbox: boolean; isEmpty: boolean; timer: NodeJS.Timeout }

/** Tells all sockets of a user that something of theirs has changed, wherever it did. A hint, that carries no truth. */
export class AccountHints implements Disposable {
  readonly #io: Server
  readonly #pending = new Map<string, Pending>()

  constructor(io: Server) {
    this.#io = io
  }

  add(socket: Socket, user_id: string): void {
    void socket.join(roomOf(user_id))
  }

  changed({ user_id, session_id, inbox }: AccountChange): void {
    if (!this.#io.sockets.adapter.rooms.has(roomOf(user_id))) return
    const pending = this.#pending.get(user_id) ?? this.#gather(user_id)
    if (session_id !== null) pending.sessions.add(session_id)
    pending.inbox ||= inbox
    pending.isEmpty = false
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer)
    this.#pending.clear()
  }

  #gather(user_id: string): Pending {
    const timer = setTimeout(() => this.#tell(user_id), GATHER_MS)
    const pending = { sessions: new Set<string>(), inbox: false, isEmpty: true, timer }
    this.#pending.set(user_id, pending)
    return pending
  }

  #tell(user_id: string): void {
    const told = this.#pending.get(user_id)
    this.#pending.delete(user_id)
    if (!told || told.isEmpty) return
    const sessions = told.sessions.size > MAX_NAMED ? null : [...told.sessions]
    const changed: AccountChanged = { sessions, inbox: told.inbox }
    this.#io.to(roomOf(user_id)).emit('account:changed', changed)
    // What comes meanwhile waits for the end of this.
    const timer = setTimeout(() => this.#tell(user_id), APART_MS)
    this.#pending.set(user_id, { sessions: new Set(), inbox: false, isEmpty: true, timer })
  }
}

function roomOf(user_id: string): string {
  return `user:${user_id}`
}
