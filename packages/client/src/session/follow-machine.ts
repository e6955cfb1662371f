/**
 * How one session is followed, as a table: subscribe, read the history if it is needed, then live on events; after every
 * loss subscribe again from where the events stopped.
 *
 *          follow            caughtUp
 *     idle ──────▶ subscribing ─────▶ live ◀───── loaded ──┐
 *                   ▲  │ behind        │ gap               │
 *                   │  └───────────────┴──────────▶ loading┘        any ── refused, deleted ──▶ gone
 *                   └───────── lost (from everywhere) ──┘           any ── release ──▶ idle
 */

export type FollowState = 'idle' | 'subscribing' | 'loading' | 'live' | 'gone'

/**
 * `follow`: somebody in the SDK wants it. `adopt`: the application subscribed through the socket itself. `caughtUp`,
 * `behind`: acknowledged, with or without everything we need. `gap`: an event was missed. `loaded`: the history was
 * read. `failed`: that did not work, try later. `refused`: it never will. `lost`: the connection went.
 */
export type FollowEvent =
  | 'follow'
  | 'adopt'
  | 'caughtUp'
  | 'behind'
  | 'gap'
  | 'loaded'
  | 'failed'
  | 'refused'
  | 'deleted'
  | 'lost'
  | 'release'

type FollowEffect = 'subscribe' | 'subscribeLater' | 'load' | 'loadLater' | 'unsubscribe'

export type FollowStep = { state: FollowState; effect?: FollowEffect }

export function nextFollow(state: FollowState, event: FollowEvent): FollowStep {
  return FOLLOW[state][event]
}

const idle: FollowStep = { state: 'idle' }
const subscribing: FollowStep = { state: 'subscribing' }
const subscribe: FollowStep = { state: 'subscribing', effect: 'subscribe' }
const loading: FollowStep = { state: 'loading' }
const load: FollowStep = { state: 'loading', effect: 'load' }
const live: FollowStep = { state: 'live' }
const gone: FollowStep = { state: 'gone' }
const unsubscribe: FollowStep = { state: 'idle', effect: 'unsubscribe' }

export const FOLLOW: Record<FollowState, Record<FollowEvent, FollowStep>> = {
  idle: {
    follow: subscribe,
    adopt: subscribing,
    caughtUp: live,
    behind: load,
    gap: idle,
    loaded: idle,
    failed: idle,
    refused: idle,
    deleted: gone,
    lost: idle,
    release: idle,
  },
  subscribing: {
    follow: subscribing,
    adopt: subscribing,
    caughtUp: live,
    behind: load,
    // The acknowledgement is about to say whether the history must be read.
    gap: subscribing,
    loaded: subscribing,
    failed: { state: 'subscribing', effect: 'subscribeLater' },
    refused: gone,
    deleted: gone,
    lost: subscribe,
    release: unsubscribe,
  },
  loading: {
    follow: loading,
    adopt: loading,
    caughtUp: loading,
    behind: load,
    gap: loading,
    loaded: live,
    failed: { state: 'loading', effect: 'loadLater' },
    refused: gone,
    deleted: gone,
    lost: subscribe,
    release: unsubscribe,
  },
  live: {
    follow: live,
    adopt: live,
    caughtUp: live,
    behind: load,
    gap: load,
    loaded: live,
    failed: live,
    refused: gone,
    deleted: gone,
    lost: subscribe,
    release: unsubscribe,
  },
  gone: {
    follow: subscribe,
    adopt: subscribing,
    caughtUp: live,
    behind: load,
    gap: gone,
    loaded: gone,
    failed: gone,
    refused: gone,
    deleted: gone,
    lost: gone,
    release: idle,
  },
}
