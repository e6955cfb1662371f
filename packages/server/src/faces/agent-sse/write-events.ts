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
import { mergedText } from './merged-text.ts'

export type WriteOptions = {
  response: ServerResponse
  sessionId: string
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
export async function writeEvents(pages: AsyncGenerator<readonly Shown[]>, options: WriteOptions): Promise<void> {
  await writeStream(options.response, framesOf(pages, options), options.signal)
}

async function* framesOf(pages: AsyncGenerator<readonly Shown[]>, options: WriteOptions): AsyncGenerator<string> {
  const { response, heartbeatMs, isObserving, lastWord } = options
  const say = new Speaker(options.sessionId)
  if (isObserving) yield say.now(beat())
  try {
    for await (const page of withHeartbeat(pages, heartbeatMs)) {
      if (page === 'heartbeat') {
        yield say.now(beat())
        continue
      }
      // [S10.9] Only for a reader that has not taken what it was given.
      for (const event of response.writableNeedDrain ? mergedText(page) : page) {
        if (event === 'lost') return
        if (event === 'deleted') return yield say.now(ended(agentFailure('not_found', 'The session was deleted.')))
        if ('over' in event) {
          if (!isObserving) return
          continue
        }
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
