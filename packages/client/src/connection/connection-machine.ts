/**
 * What the socket does next, as a table. Knows no socket, so that every cell can be read and tested.
 *
 *            want, emit            opened             lost
 *     idle ───────────▶ connecting ──────▶ connected ──────▶ reconnecting ──┐
 *      ▲                    │ denied        │ ▲  │ denied        opened │   │
 *      │ spare              ▼               │ └──┼────────────────────────┘   │
 *      └──────────────── refused ◀──────────┼────┘◀──────────────── denied ──┘
 *                           │ want: connecting
 *     closed ◀── leave ─────┴──────────────── any;  closed ── want ──▶ connecting
 */

/**
 * `idle`: nobody needs it yet. `connecting`: never reached so far. `reconnecting`: lost, trying again by itself.
 * `refused`: the credential was not accepted. `closed`: the application called `disconnect()`.
 */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'refused' | 'closed'

/**
 * `want`: somebody asked for a connection. `emit`: something was sent without asking for one. `opened`, `lost`,
 * `failed`: what the network says. `dismissed`: the server ended or declined it, but not for the credential. `denied`:
 * the credential is not accepted (any more). `spare`: the last user inside the SDK is done. `leave`: the application
 * called `disconnect()`.
 */
export type ConnectionEvent =
  | 'want'
  | 'emit'
  | 'opened'
  | 'lost'
  | 'failed'
  | 'dismissed'
  | 'denied'
  | 'spare'
  | 'leave'

/** `reopen` waits a moment first. `refresh` tries to renew a browser's sign-in, once, and wants again if it worked. */
type ConnectionEffect = 'open' | 'reopen' | 'close' | 'refresh'

export type ConnectionStep = { state: ConnectionState; effect?: ConnectionEffect }

export function nextConnection(state: ConnectionState, event: ConnectionEvent): ConnectionStep {
  return CONNECTION[state][event]
}

const idle: ConnectionStep = { state: 'idle' }
const opening: ConnectionStep = { state: 'connecting', effect: 'open' }
const connecting: ConnectionStep = { state: 'connecting' }
const connected: ConnectionStep = { state: 'connected' }
const reconnecting: ConnectionStep = { state: 'reconnecting' }
const reopening: ConnectionStep = { state: 'reconnecting', effect: 'reopen' }
const refused: ConnectionStep = { state: 'refused' }
const refusing: ConnectionStep = { state: 'refused', effect: 'refresh' }
const closed: ConnectionStep = { state: 'closed' }
const closing: ConnectionStep = { state: 'closed', effect: 'close' }
const sparing: ConnectionStep = { state: 'idle', effect: 'close' }

export const CONNECTION: Record<ConnectionState, Record<ConnectionEvent, ConnectionStep>> = {
  idle: {
    want: opening,
    // [WR-75] One documented client never calls connect().
    emit: opening,
    opened: connected,
    lost: idle,
    failed: idle,
    dismissed: idle,
    denied: refused,
    spare: idle,
    leave: closed,
  },
  connecting: {
    want: connecting,
    emit: connecting,
    opened: connected,
    lost: connecting,
    failed: connecting,
    dismissed: reopening,
    denied: refusing,
    spare: sparing,
    leave: closing,
  },
  connected: {
    want: connected,
    emit: connected,
    opened: connected,
    lost: reconnecting,
    failed: connected,
    dismissed: reopening,
    denied: refusing,
    spare: sparing,
    leave: closing,
  },
  reconnecting: {
    want: { state: 'reconnecting', effect: 'open' },
    emit: reconnecting,
    opened: connected,
    lost: reconnecting,
    failed: reconnecting,
    dismissed: reopening,
    denied: refusing,
    spare: sparing,
    leave: closing,
  },
  refused: {
    want: opening,
    // A credential that was refused is not tried again by itself: the application changes it, then connects.
    emit: refused,
    opened: connected,
    lost: refused,
    failed: refused,
    // A revoked key hears the reason first and is disconnected after it.
    dismissed: refused,
    denied: refused,
    spare: sparing,
    leave: closing,
  },
  closed: {
    want: opening,
    // [W14.2] After disconnect() only connect() connects.
    emit: closed,
    opened: connected,
    lost: closed,
    failed: closed,
    dismissed: closed,
    denied: closed,
    spare: closed,
    leave: closed,
  },
}
