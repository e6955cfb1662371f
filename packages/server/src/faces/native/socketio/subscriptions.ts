import { AgentError, type PatchMode } from '@parley/protocol'
import type { CaughtUp, FeedSource } from '../../../feed/feed.ts'
import type { Outbox } from './outbox.ts'
import { noSuchSession } from './replies.ts'
import { Subscription, type SubscriptionOptions } from './subscription.ts'

export type SubscriptionsParts = {
  source: FeedSource
  outbox: Outbox
  /** Reading a session failed. The client comes back with `since` and misses nothing; going on with a hole would be worse. */
  onFailure: (session_id: string, error: unknown) => void
}

export type Wanted = {
  session_id: string
  since: number | null
  resync: boolean | null
  /** `null`: as before, else as the connection has it. */
  patch_mode: PatchMode | null
}

const MAX_SUBSCRIPTIONS = 1_000

/** What one socket follows. */
export class Subscriptions {
  readonly #parts: SubscriptionsParts
  readonly #patchMode: PatchMode
  readonly #following = new Map<string, Subscription>()

  constructor(parts: SubscriptionsParts, patchMode: PatchMode) {
    this.#parts = parts
    this.#patchMode = patchMode
  }

  find(session_id: string): Subscription | undefined {
    return this.#following.get(session_id)
  }

  /** [WR-51] Subscribing again changes the options; it repeats nothing unless the client asks for it. */
  async subscribe({ session_id, since, resync, patch_mode }: Wanted): Promise<CaughtUp> {
    const known = this.find(session_id)
    const mode = patch_mode ?? known?.mode ?? this.#patchMode
    if (known && mode === known.mode && since === null && !resync) {
      const { head, run_id } = await this.#parts.source.journal.snapshot(session_id)
      return { head, run_id, replayed: false }
    }
    if (!known && this.#following.size >= MAX_SUBSCRIPTIONS)
      throw new AgentError('rate_limited', `A socket follows at most ${MAX_SUBSCRIPTIONS} sessions.`)
    await known?.stop()
    // Another mode goes on where the old one stopped; a `sync` client may not have seen all up to there.
    const goesOn = known?.sent !== undefined && !resync && known.mode !== 'sync' ? { since: known.sent } : 'picture'
    const subscription = this.#start({ session_id, mode, start: since === null ? goesOn : { since } })
    const caughtUp = await subscription.caughtUp
    if (!caughtUp) throw noSuchSession()
    return caughtUp
  }

  /** Follows a session from an accepted run on. */
  followRun({ session_id, run_id, since }: { session_id: string; run_id: string; since: number }): void {
    this.#start({ session_id, mode: this.#patchMode, start: { runAt: since, run_id } })
  }

  async unsubscribe(session_id: string): Promise<void> {
    const subscription = this.find(session_id)
    this.#following.delete(session_id)
    await subscription?.stop()
  }

  close(): void {
    for (const subscription of this.#following.values()) void subscription.stop()
    this.#following.clear()
  }

  #start(options: SubscriptionOptions): Subscription {
    const { source, outbox, onFailure } = this.#parts
    const onEnd = (error: unknown) => {
      this.#following.delete(options.session_id)
      if (error !== undefined) onFailure(options.session_id, error)
    }
    const subscription = new Subscription({ source, outbox, onEnd }, options)
    this.#following.set(options.session_id, subscription)
    return subscription
  }
}
