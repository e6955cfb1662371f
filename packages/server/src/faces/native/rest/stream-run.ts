import type { ServerResponse } from 'node:http'
import type { PatchMode, SystemErrorPayload } from '@parley/protocol'
import { feed, type FeedItem, type FeedSource } from '../../../feed/feed.ts'
import { commentFrame, eventFrame } from '../../../http/event-stream/frames.ts'
import { withHeartbeat } from '../../../http/event-stream/with-heartbeat.ts'
import { withLastWord } from '../../../http/event-stream/with-last-word.ts'
import { writeStream } from '../../../http/event-stream/write-stream.ts'
import type { Accepted } from '../../../sessions/service.ts'
import { ENCODINGS } from '../encodings/encodings.ts'
import type { Shown } from '../encodings/shown.ts'
import { answerWith } from './answer-with.ts'
import { endOf } from './wait-for-end.ts'

export type StreamOptions = {
  accepted: Accepted
  mode: PatchMode
  signal: AbortSignal
  heartbeatMs: number
  /** What is to be said before the stream is closed early, if anything. */
  lastWord: () => SystemErrorPayload | null
}

/** [W11.3] A run as an event stream: the same events as over the socket, until its `chat:end`. */
export async function streamRun(source: FeedSource, response: ServerResponse, options: StreamOptions): Promise<void> {
  const { session_id, run_id, since } = options.accepted
  const { mode, signal, heartbeatMs } = options
  const items = feed(source, { session_id, start: { runAt: since, run_id }, encoding: ENCODINGS[mode], signal })
  const lastWord = () => {
    const said = options.lastWord()
    return said && eventFrame({ event: 'system:error', data: JSON.stringify(said) })
  }
  await writeStream(response, withLastWord(framesOf(withHeartbeat(items, heartbeatMs), run_id), lastWord), signal)
}

/** A run that waits for a person ends with what it waits for, and how to answer. */
async function* framesOf(items: AsyncIterable<FeedItem<Shown> | 'heartbeat'>, run_id: string): AsyncGenerator<string> {
  for await (const item of items) {
    if (item === 'heartbeat') yield commentFrame('still here')
    else
      for (const event of item.shown) {
        const end = endOf(event, run_id)
        const data = end?.pause_tool_data ? JSON.stringify({ ...end, answer_with: answerWith(end) }) : event.payload
        yield eventFrame({ id: event.event_seq, event: event.name, data })
        if (end) return
      }
  }
}
