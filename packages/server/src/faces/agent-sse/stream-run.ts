import type { ServerResponse } from 'node:http'
import { feed, type FeedItem, type FeedSource } from '../../feed/feed.ts'
import { withHeartbeat } from '../../http/event-stream/with-heartbeat.ts'
import { writeStream } from '../../http/event-stream/write-stream.ts'
import { agentEvents, type ReaderOptions, type Shown } from './encoding.ts'
import { eventId } from './event-ids.ts'
import { type AgentEvent, isTerminal } from './events.ts'
import { formatEvent } from './format-event.ts'

export type StreamOptions = ReaderOptions & {
  session_id: string
  run_id: string
  since: number
  signal: AbortSignal
  heartbeatMs: number
}

/** [S3] A run as agent events, until its terminal one. */
export async function streamRun(source: FeedSource, response: ServerResponse, options: StreamOptions): Promise<void> {
  const { session_id, since, run_id, signal, heartbeatMs } = options
  const encoding = agentEvents(source.journal, options)
  const items = feed(source, { session_id, start: { runAt: since, run_id }, encoding, signal })
  await writeStream(response, framesOf(withHeartbeat(items, heartbeatMs), options), signal)
}

async function* framesOf(
  items: AsyncIterable<FeedItem<Shown> | 'heartbeat'>,
  { sessionId, after }: ReaderOptions,
): AsyncGenerator<string> {
  let last = { timestamp: 0, position: after }
  for await (const item of items) {
    if (item === 'heartbeat') {
      yield formatEvent(heartbeat(sessionId, last))
      continue
    }
    for (const event of item.shown) {
      if (event === 'lost' || event === 'deleted') return
      last = { timestamp: event.timestamp, position: last.position }
      yield formatEvent(event)
      if (isTerminal(event)) return
    }
  }
}

function heartbeat(sessionId: string, last: { timestamp: number; position: number }): AgentEvent {
  const serverTime = Math.max(Date.now(), last.timestamp)
  const id = eventId(serverTime, Math.max(0, last.position))
  return { id, type: 'heartbeat', timestamp: serverTime, sessionId, data: { serverTime } }
}
