import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Hub } from '../hub.ts'
import type { Timers } from '../timers.ts'
import type { AccountChange } from '../work.ts'
import { connectionOptions } from './connection.ts'
import { HEADS } from './gate-statements.ts'

const CHANNEL = 'parley_hints'
const ANNOUNCE_MS = 25
const RECONNECT_MS = 500
/** Without LISTEN (some poolers and distributed forms) the poll is all there is. */
const POLL_WITHOUT_LISTEN_MS = 200
/** PostgreSQL takes at most 8 000 bytes. */
const HINTS_PER_NOTIFY = 100
const CHANGES_PER_NOTIFY = 40
/** In place of a head: look at what was asked of the session, not at its journal. */
const NUDGE = -1
/** The same for a user's programs: what of theirs to look at follows. */
const CHANGE = -2

type Hint =
  | [session_id: string, head: number]
  | [session_id: string, head: typeof CHANGE, user_id: string, inbox: 0 | 1, from: string]

type Options = { url: string; pool: pg.Pool; hub: Hub; pollMs: number; timers: Timers }

/**
 * Tells other instances that a journal has grown, and listens for the same from them. Hints are batched and sent outside
 * the write transaction, where a NOTIFY would cost every commit a database-wide lock. What a lost hint would have said,
 * the poll finds.
 */
export class Hints {
  readonly #options: Options
  readonly #grown = new Map<string, number>()
  /** By what they say: the same word twice in a moment is one. */
  readonly #changes = new Map<string, Hint>()
  /** Who says it: what this instance knows already it need not hear. */
  readonly #from = randomUUID()
  readonly #onNudge: ((session_id: string) => void)[] = []
  #listener: pg.Client | undefined
  #announcing: Disposable | undefined
  #polling: Disposable | undefined
  #reconnecting: Disposable | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#listen()
    this.#scheduleLook()
  }

  announce(session_id: string, head: number): void {
    this.#grown.set(session_id, head)
    this.#announceSoon()
  }

  changed({ user_id, session_id, inbox }: AccountChange): void {
    const hint: Hint = [session_id ?? '', CHANGE, user_id, inbox ? 1 : 0, this.#from]
    this.#changes.set(JSON.stringify(hint), hint)
    this.#announceSoon()
  }

  /** Something was asked of this session's run: told at once, because somebody is waiting for it. */
  nudge(session_id: string): void {
    void this.#send([[session_id, NUDGE]])
  }

  onNudge(listener: (session_id: string) => void): void {
    this.#onNudge.push(listener)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of [this.#announcing, this.#polling, this.#reconnecting]) timer?.[Symbol.dispose]()
    if (this.#grown.size + this.#changes.size > 0) await this.#notify()
    await this.#listener?.end().catch(() => undefined)
  }

  async #notify(): Promise<void> {
    const hints = [...this.#grown]
    const changes = [...this.#changes.values()]
    this.#grown.clear()
    this.#changes.clear()
    this.#announcing = undefined
    for (let from = 0; from < hints.length; from += HINTS_PER_NOTIFY)
      await this.#send(hints.slice(from, from + HINTS_PER_NOTIFY))
    for (let from = 0; from < changes.length; from += CHANGES_PER_NOTIFY)
      await this.#send(changes.slice(from, from + CHANGES_PER_NOTIFY))
  }

  #announceSoon(): void {
    this.#announcing ??= this.#options.timers.after(ANNOUNCE_MS, () => void this.#notify())
  }

  async #send(hints: Hint[]): Promise<void> {
    try {
      await this.#options.pool.query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(hints)])
    } catch {
      // Lost hints cost others a moment, never an event: they poll.
    }
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(connectionOptions(this.#options.url))
    client.on('error', () => undefined)
    client.once('end', () => this.#lost(client))
    client.on('notification', ({ payload }) => this.#heard(payload ?? ''))
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
      if (this.#stopped) return await client.end()
      this.#listener = client
      this.#options.hub.wakeAll()
    } catch {
      await client.end().catch(() => undefined)
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#listener === client) this.#listener = undefined
    if (this.#stopped) return
    this.#reconnecting?.[Symbol.dispose]()
    this.#reconnecting = this.#options.timers.after(RECONNECT_MS, () => void this.#listen())
  }

  #heard(payload: string): void {
    try {
      for (const [session_id, head, user_id, inbox, from] of JSON.parse(payload) as Hint[])
        if (head === NUDGE) for (const listener of this.#onNudge) listener(session_id)
        else if (head !== CHANGE) this.#options.hub.hinted(session_id, head)
        else if (user_id !== undefined && from !== this.#from)
          this.#options.hub.changed({ user_id, session_id: session_id || null, inbox: inbox === 1 })
    } catch {
      // Anybody may use the channel. What is not a hint of ours says nothing.
    }
  }

  #scheduleLook(): void {
    if (this.#stopped) return
    const pollMs = this.#listener ? this.#options.pollMs : Math.min(POLL_WITHOUT_LISTEN_MS, this.#options.pollMs)
    const look = () => void this.#look().finally(() => this.#scheduleLook())
    this.#polling = this.#options.timers.after(pollMs, look)
  }

  /** One question for all followed sessions, however many readers they have. */
  async #look(): Promise<void> {
    const { hub, pool } = this.#options
    const followed = hub.followedSessions()
    if (followed.length === 0) return
    try {
      const { rows } = await pool.query<{ session_id: string; head: number }>(HEADS, [followed])
      for (const { session_id, head } of rows) hub.hinted(session_id, head)
      const alive = new Set(rows.map((row) => row.session_id))
      for (const session_id of followed) if (!alive.has(session_id)) hub.deleted(session_id)
    } catch {
      // The next look will find it.
    }
  }
}
