import type { AccountChange, Batch, StoredEvent, Told } from './work.ts'

/** How much of a followed session's end is kept in memory, so that live readers need not ask the database. */
const TAIL_EVENTS = 256
const TAIL_BYTES = 256 * 1024

/**
 * Wakes the readers of this process. It carries hints, not truth: a reader that misses one finds the events in the
 * journal at its next look. For sessions that somebody follows it also keeps the last committed events, shared by all
 * their readers and bounded, whatever their number or speed.
 */
export class Hub {
  readonly #followed = new Map<string, Followed>()
  readonly #onChange = new Set<(change: AccountChange) => void>()

  /** By this process, right after its commit. */
  told(told: Told): void {
    if ('appended' in told) this.committed(told.appended)
    else this.changed(told.changed)
  }

  /** Something of a user's has changed, here or on another instance. */
  changed(change: AccountChange): void {
    for (const listener of this.#onChange) listener(change)
  }

  onChange(listener: (change: AccountChange) => void): Disposable {
    this.#onChange.add(listener)
    return { [Symbol.dispose]: () => void this.#onChange.delete(listener) }
  }

  /** Events of this process, right after their commit. */
  committed(batch: Batch): void {
    this.#followed.get(batch.session_id)?.extend(batch)
  }

  /** Somebody says that the session's journal now reaches `head`. */
  hinted(session_id: string, head: number): void {
    const followed = this.#followed.get(session_id)
    if (followed && head > followed.head) followed.look(head)
  }

  /** After a lost connection nobody knows what was missed: everybody looks. */
  wakeAll(): void {
    for (const followed of this.#followed.values()) followed.lookAfresh()
  }

  /** The session is gone: its readers look, find nothing, and end. */
  deleted(session_id: string): void {
    this.#followed.get(session_id)?.lookAfresh()
  }

  followedSessions(): string[] {
    return [...this.#followed.keys()]
  }

  watch(session_id: string): Watcher {
    const followed = this.#followed.get(session_id) ?? new Followed()
    this.#followed.set(session_id, followed)
    followed.watchers += 1
    return {
      get version() {
        return followed.version
      },
      tailAfter: (cursor) => followed.tailAfter(cursor),
      changedSince: (version, signal) => followed.changedSince(version, signal),
      [Symbol.dispose]: () => {
        followed.watchers -= 1
        if (followed.watchers === 0) this.#followed.delete(session_id)
      },
    }
  }
}

/** One reader's registration. Take `version`, look, and if there was nothing, wait for a change since that version. */
export interface Watcher extends Disposable {
  readonly version: number
  /** The events after `cursor`, if memory holds exactly those; `undefined`: ask the database. */
  tailAfter(cursor: number): readonly StoredEvent[] | undefined
  changedSince(version: number, signal: AbortSignal): Promise<void>
}

class Followed {
  watchers = 0
  version = 0
  head = 0
  #tail: StoredEvent[] = []
  #tailBytes = 0
  /** The tail holds every event after this number. */
  #tailFrom = 0
  readonly #waiting = new Set<() => void>()

  extend({ base, head, events }: Batch): void {
    // After a skip, or an append by another process, it does not join on.
    if (base !== this.#tail.at(-1)?.event_seq) this.#restartTail(base)
    this.#tail.push(...events)
    for (const event of events) this.#tailBytes += event.data.length
    while (this.#tail.length > TAIL_EVENTS || (this.#tailBytes > TAIL_BYTES && this.#tail.length > 1)) {
      const dropped = this.#tail.shift()!
      this.#tailBytes -= dropped.data.length
      this.#tailFrom = dropped.event_seq
    }
    this.look(head)
  }

  look(head: number): void {
    if (head > this.head) this.head = head
    this.version += 1
    for (const wake of [...this.#waiting]) wake()
  }

  /** What memory holds may be behind the database, or of a session that is gone. */
  lookAfresh(): void {
    this.#restartTail(this.head)
    this.look(this.head)
  }

  tailAfter(cursor: number): readonly StoredEvent[] | undefined {
    const last = this.#tail.at(-1)
    if (!last || last.event_seq !== this.head || cursor < this.#tailFrom || cursor > this.head) return undefined
    // A live reader is a few events behind, so they are looked for from the end.
    let first = this.#tail.length
    while (first > 0 && this.#tail[first - 1]!.event_seq > cursor) first -= 1
    return this.#tail.slice(first)
  }

  async changedSince(version: number, signal: AbortSignal): Promise<void> {
    if (this.version !== version || signal.aborted) return
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

  #restartTail(from: number): void {
    this.#tail = []
    this.#tailBytes = 0
    this.#tailFrom = from
  }
}
