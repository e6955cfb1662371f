import type { AgentEvent } from '@parley/protocol/agent-sse'
import { textOf } from '@parley/protocol'
import type { Encoding, Live, Place } from '../../feed/encoding.ts'
import type { FeedSource } from '../../feed/feed.ts'
import { readTurn } from '../../store/read-turn.ts'
import { type EntryOptions, RunTeller } from './encode-entry.ts'
import { eventId, positionOf } from './event-ids.ts'
import type { Said } from './events.ts'

/** `over`: that run has no more events. `lost`: the reader cannot go on from where it is. `deleted`: its session is gone. */
export type Shown = AgentEvent | { over: string } | 'lost' | 'deleted'

export type ReaderOptions = EntryOptions & {
  /** As the client calls it. */
  sessionId: string
  /** The last place that the client has; what stands there and before it is not sent again. */
  after: number
}

/** The journal as agent events. It must begin where a run does, or between two. */
export function agentEvents(journal: FeedSource['journal'], options: ReaderOptions): Encoding<Shown> {
  return {
    told: ({ name }) => [name === 'session:deleted' ? 'deleted' : 'lost'],
    // Whoever begins with a run has missed nothing of it.
    replay: () => ({ show: async () => ['lost'], finish: async () => [] }),
    live: (place) => new AgentLive(place, journal, options),
  }
}

class AgentLive implements Live<Shown> {
  readonly #teller: RunTeller
  readonly #place: Place
  readonly #journal: FeedSource['journal']
  readonly #options: ReaderOptions

  constructor(place: Place, journal: FeedSource['journal'], options: ReaderOptions) {
    this.#teller = new RunTeller(options)
    this.#place = place
    this.#journal = journal
    this.#options = options
  }

  missing(event: Parameters<Live<Shown>['missing']>[0]): string | undefined {
    return this.#teller.missing(event)
  }

  async load(turn_id: string): Promise<void> {
    const turn = await this.#place.loadTurn(turn_id)
    this.#teller.learn(turn_id, turn, turn && (await this.#requestBefore(turn.sequence)))
  }

  encode(event: Parameters<Live<Shown>['encode']>[0]): readonly Shown[] {
    if (event.type === 'session:deleted') return ['deleted']
    const { sessionId, after } = this.#options
    const events: Shown[] = this.#teller.tell(event).flatMap((said, index) => {
      const position = positionOf(event.event_seq, index)
      return position > after ? [placed(said, { id: eventId(event.at, position), timestamp: event.at, sessionId })] : []
    })
    return event.type === 'chat:end' ? [...events, { over: event.run_id ?? '' }] : events
  }

  dueAt(): null {
    return null
  }

  takeDue(): readonly Shown[] {
    return []
  }

  /** What the user had asked for when this turn began. */
  async #requestBefore(sequence: number): Promise<string> {
    for (let before = sequence; ;) {
      const rows = await this.#journal.turns(this.#place.session_id, { before, limit: TURNS })
      const request = rows.map(readTurn).findLast(({ role, blocks }) => role === 'user' && !blocks.some(isAnswer))
      if (request) return textOf(request)
      if (rows.length < TURNS) return ''
      before = rows[0]!.sequence
    }
  }
}

/** Read at once; hardly ever is a request further back. */
const TURNS = 20

const isAnswer = ({ type }: { type: string }) => type === 'ask_user_answer'

function placed(said: Said, { id, timestamp, sessionId }: Pick<AgentEvent, 'id' | 'timestamp' | 'sessionId'>) {
  return { id, type: said.type, timestamp, sessionId, data: said.data } as AgentEvent
}
