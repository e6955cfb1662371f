import type { ChatEndPayload, SessionEvent } from '@parley/protocol'
import { isStoreError } from '../store/errors.ts'
import type { Journal, Snapshot } from '../store/journal.ts'
import type { StoredEvent } from '../store/work.ts'
import type { Rewording } from '../words/rewording.ts'
import type { Encoding, Live, Place, Replay } from './encoding.ts'
import { loadTurn } from './load-turn.ts'
import { pagesAndTimes } from './pages-and-times.ts'
import { pictureOf } from './picture.ts'
import { rewordEvent } from './reword-event.ts'
import type { SharedEncoders } from './shared-encoders.ts'

/** One kind of reader's view of the journal. */
export type FeedSource = {
  journal: Journal
  rewording: Rewording
  encoders: SharedEncoders
  /** The stored `chat:end` of a run that has ended. */
  outcomeOf: (run_id: string) => Promise<ChatEndPayload | null>
  now: () => number
}

/**
 * Where to begin: after an event the client has (`since`), before an accepted run (`runAt`: nothing is under way there),
 * or with a picture of what is under way now.
 */
export type FeedStart = { since: number } | { runAt: number; run_id: string } | 'picture'

export type FeedOptions<Out> = {
  session_id: string
  start: FeedStart
  encoding: Encoding<Out>
  signal: AbortSignal
  /** A reader this many events behind gets a picture. `Infinity` for one that has no use for it. */
  maxLag?: number
}

/** `replayed`: the start could be honoured. */
export type CaughtUp = { head: number; run_id: string | null; replayed: boolean }

export type FeedItem<Out> = { shown: readonly Out[]; caughtUp?: CaughtUp }

/**
 * Everything a subscriber is shown of a session, in order and in its encoding, until it stops or the session is gone:
 *
 *   start ─▶ what was missed, or a picture ─▶ `caughtUp` ─▶ live events ─▶ `session:deleted`
 *     ▲                                                        │
 *     └────────── too far behind for the journal or the encoder ┘
 */
export async function* feed<Out>(source: FeedSource, options: FeedOptions<Out>): AsyncGenerator<FeedItem<Out>> {
  const { session_id, signal } = options
  using _user = source.encoders.use(session_id)
  let { start } = options
  const seen: Seen = { run_id: typeof start === 'object' && 'run_id' in start ? start.run_id : null, isDeleted: false }
  while (!signal.aborted) {
    const next: FeedStart | 'over' = yield* stretch(source, { ...options, start, seen })
    if (next === 'over') return
    start = next
  }
}

/** What the reader has been told: the run whose end it still waits for, and whether it knows that the session is gone. */
type Seen = { run_id: string | null; isDeleted: boolean }

/** One stretch without a break; returns where the next one starts. */
async function* stretch<Out>(
  source: FeedSource,
  options: FeedOptions<Out> & { seen: Seen },
): AsyncGenerator<FeedItem<Out>, FeedStart | 'over'> {
  const { session_id, start, encoding, signal, seen } = options
  const tell = (events: readonly SessionEvent[]) => ({ shown: events.flatMap(encoding.told) })
  try {
    const snapshot = await snapshotAt(source, session_id, start)
    const from = positionOf(start, snapshot)
    if (from > snapshot.head) return 'picture'
    if (start === 'picture')
      yield tell([...(await missedEnd(source, seen, { session_id, snapshot })), ...pictureOf(session_id, snapshot)])
    const end = yield* follow(source, { ...options, snapshot, from })
    if (end === 'over' && !signal.aborted && !seen.isDeleted) yield tell([deleted(session_id, snapshot.head)])
    return end
  } catch (error) {
    if (isStoreError(error, 'resync')) return 'picture'
    if (!isStoreError(error, 'session_gone')) throw error
    if (!seen.isDeleted) yield tell([deleted(session_id, 0)])
    return 'over'
  }
}

type Stretch<Out> = FeedOptions<Out> & { seen: Seen; snapshot: Snapshot; from: number }

/** First what was missed, up to the snapshot; then live. `over`: the journal ends here. */
async function* follow<Out>(
  source: FeedSource,
  stretch: Stretch<Out>,
): AsyncGenerator<FeedItem<Out>, FeedStart | 'over'> {
  const { session_id, start, encoding, signal, seen, snapshot, from, maxLag } = stretch
  const caughtUp = { head: snapshot.head, run_id: snapshot.run_id, replayed: start !== 'picture' }
  const place = placeAt(source, session_id, snapshot)
  const replay = encoding.replay(place)
  let cursor = from
  let live: Live<Out> | undefined
  if (from === snapshot.head) {
    yield { shown: [], caughtUp }
    live = source.encoders.liveAt(encoding, place)
  }
  const open = (ending: AbortSignal) =>
    source.journal.follow(session_id, { since: from, signal: ending, ...(maxLag !== undefined && { maxLag }) })
  for await (const next of pagesAndTimes(open, signal, { dueAt: () => live?.dueAt() ?? null, now: source.now })) {
    if (next === 'due') {
      yield { shown: live?.takeDue() ?? [] }
      continue
    }
    for (const event of next) notice(seen, event)
    const page = next.map((event) => rewordEvent(event, source.rewording))
    const missed = page.filter(({ event_seq }) => event_seq <= snapshot.head)
    if (missed.length > 0) {
      yield { shown: await showAll(replay, missed) }
      cursor = missed.at(-1)!.event_seq
    }
    if (!live && cursor >= snapshot.head) {
      yield { shown: await replay.finish(), caughtUp }
      live = source.encoders.liveAt(encoding, place)
    }
    if (!live || missed.length === page.length) continue
    const { shown, reached } = await encodeAll(live, cursor, page.slice(missed.length))
    yield { shown }
    cursor = reached
    if (cursor < page.at(-1)!.event_seq) return { since: cursor }
    if (seen.isDeleted) return 'over'
  }
  return 'over'
}

function positionOf(start: FeedStart, { head }: Snapshot): number {
  if (start === 'picture') return head
  return 'since' in start ? start.since : start.runAt
}

async function snapshotAt({ journal, rewording }: FeedSource, session_id: string, start: FeedStart): Promise<Snapshot> {
  if (typeof start === 'object' && 'runAt' in start) return { head: start.runAt, run_id: null, open: [] }
  const snapshot = await journal.snapshot(session_id)
  return { ...snapshot, open: snapshot.open.map((event) => rewordEvent(event, rewording)) }
}

/** Finished turns come from their rows, in the reader's words. */
function placeAt({ journal, rewording, now }: FeedSource, session_id: string, snapshot: Snapshot): Place {
  return {
    session_id,
    snapshot,
    now,
    async loadTurn(turn_id) {
      const turn = await loadTurn(journal, session_id, turn_id)
      return turn && rewording.turn(session_id, turn)
    },
  }
}

async function showAll<Out>(replay: Replay<Out>, events: readonly StoredEvent[]): Promise<Out[]> {
  const shown: Out[] = []
  for (const event of events) shown.push(...(await replay.show(event)))
  return shown
}

/** Encodes as many events as the encoder still knows; `reached` is the last of them. */
async function encodeAll<Out>(
  encoder: Live<Out>,
  cursor: number,
  events: readonly StoredEvent[],
): Promise<{ shown: Out[]; reached: number }> {
  const shown: Out[] = []
  let reached = cursor
  for (const event of events) {
    const missing = encoder.missing(event)
    if (missing !== undefined) await encoder.load(missing)
    const encoded = encoder.encode(event, reached)
    if (!encoded) break
    shown.push(...encoded)
    reached = event.event_seq
  }
  return { shown, reached }
}

function notice(seen: Seen, { type, run_id }: StoredEvent): void {
  if (type === 'chat:start') seen.run_id = run_id
  if (type === 'chat:end' && run_id === seen.run_id) seen.run_id = null
  if (type === 'session:deleted') seen.isDeleted = true
}

/** A client that was jumped ahead over the end of its run is told that it has ended; the rest it reads over REST. */
async function missedEnd(
  { outcomeOf, rewording }: FeedSource,
  seen: Seen,
  { session_id, snapshot: { head, run_id } }: { session_id: string; snapshot: Snapshot },
): Promise<SessionEvent[]> {
  const missed = seen.run_id
  seen.run_id = run_id
  const outcome = missed === null || missed === run_id ? null : await outcomeOf(missed)
  if (!outcome) return []
  return [{ name: 'chat:end', payload: { ...rewording.chatEnd(session_id, outcome), session_id, event_seq: head } }]
}

function deleted(session_id: string, event_seq: number): SessionEvent {
  return { name: 'session:deleted', payload: { session_id, event_seq } }
}
