import type { ServerResponse } from 'node:http'
import type { PatchMode, SystemErrorPayload } from '@parley/protocol'
import type { Accepted } from '../../../sessions/service.ts'
import { feed, type FeedSource } from '../../../feed/feed.ts'
import { ENCODINGS } from '../encodings/encodings.ts'
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

/**
 * [W11.3] A run as an event stream: the same events as over the socket, until its `chat:end`. One that waits for a person
 * ends with what it waits for, and how to answer.
 */
export async function streamRun(source: FeedSource, response: ServerResponse, options: StreamOptions): Promise<void> {
  const { accepted, mode, signal, heartbeatMs, lastWord } = options
  const { session_id, run_id, since } = accepted
  const start = { runAt: since, run_id }
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n')
  }, heartbeatMs)
  try {
    for await (const { shown } of feed(source, { session_id, start, encoding: ENCODINGS[mode], signal })) {
      for (const event of shown) {
        const end = endOf(event, run_id)
        const data = end?.pause_tool_data ? JSON.stringify({ ...end, answer_with: answerWith(end) }) : event.payload
        const hasRoom = response.write(`id: ${event.event_seq}\nevent: ${event.name}\ndata: ${data}\n\n`)
        if (end) return
        if (!hasRoom) await drained(response, signal)
      }
    }
  } finally {
    clearInterval(beat)
    const said = lastWord()
    response.end(said ? `event: system:error\ndata: ${JSON.stringify(said)}\n\n` : undefined)
  }
}

/** A reader that does not read holds up its own stream only. */
async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const wake = () => {
      response.off('drain', wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    response.once('drain', wake)
    signal.addEventListener('abort', wake)
  })
}
