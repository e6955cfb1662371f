import type { AgentEvent, AgentFailure } from '@parley/protocol/agent-sse'
import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { failureOf } from '../../http/failure.ts'
import { withHeartbeat } from '../../http/event-stream/with-heartbeat.ts'
import { writeStream } from '../../http/event-stream/write-stream.ts'
import type { Reader } from '../../words/reader.ts'
import type { Shown } from './encoding.ts'
import { eventId } from './event-ids.ts'
import { isTerminal, type Said } from './events.ts'
import { agentFailure } from './failures.ts'
import { formatEvent } from './format-event.ts'
import { readAhead } from './read-ahead.ts'

export type WriteOptions = {
  response: ServerResponse
  sessionId: string
  /** Where the journal stood when the reader came. */
  head: number
  signal: AbortSignal
  heartbeatMs: number
  reader: Reader
  logger: Logger
  /** The stream goes on after a run's end, and begins by saying where it is. */
  isObserving: boolean
  /** Why the stream ends early, if there is something to say. */
  lastWord: () => AgentFailure | null
}

/** [S3] Writes events as they come, a beat where nothing does, and ends with the terminal one. */
export async function writeEvents(open: OpenPages, options: WriteOptions): Promise<void> {
  await writeStream(options.response, framesOf(open, options), options.signal)
}

type OpenPages = (left: AbortSignal) => AsyncGenerator<readonly Shown[]>

async function* framesOf(open: OpenPages, options: WriteOptions): AsyncGenerator<string> {
  const { heartbeatMs, isObserving, lastWord } = options
  const say = new Speaker(options.sessionId)
  if (isObserving) yield say.now(beat())
  try {
    for await (const event of withHeartbeat(readAhead(open, options), heartbeatMs)) {
      if (event === 'heartbeat') yield say.now(beat())
      else if (event === 'lost') return
      else if (event === 'deleted') return yield say.now(ended(agentFailure('not_found', 'The session was deleted.')))
      else if ('over' in event) {
        if (!isObserving) return
      } else {
        yield say.stored(event)
        if (isTerminal(event) && !isObserving) return
      }
    }
  } catch (error) {
    const { code, message } = failureOf(error, options.reader)
    options.logger.error({ err: error }, 'an event stream broke off')
    return yield say.now(ended(agentFailure(code, message)))
  }
  const word = lastWord()
  if (word) yield say.now(ended(word))
}

const beat = (): Said => ({ type: 'heartbeat', data: { serverTime: Date.now() } })
const ended = (data: AgentFailure): Said => ({ type: 'error', data })

/** Gives what is not stored a place after the last thing that was. */
class Speaker {
  readonly #sessionId: string
  #last = { timestamp: 0, number: '0' }

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  stored(event: AgentEvent): string {
    this.#last = { timestamp: event.timestamp, number: event.id.slice(event.id.lastIndexOf('_') + 1) }
    return formatEvent(event)
  }

  /** Nothing can be resumed from it: the frame has no id. */
  now({ type, data }: Said): string {
    const timestamp = Math.max(Date.now(), this.#last.timestamp)
    const id = eventId(timestamp, Number(this.#last.number))
    const event = { id, type, timestamp, sessionId: this.#sessionId, data } as AgentEvent
    return formatEvent(event, { isStored: false })
  }
}
