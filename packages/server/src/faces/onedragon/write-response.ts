import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { oneByOne } from '../../feed/encoding.ts'
import { feed, type FeedSource } from '../../feed/feed.ts'
import { commentFrame } from '../../http/event-stream/frames.ts'
import type { Patience } from '../../http/patience.ts'
import type { Accepted } from '../../sessions/service.ts'
import { frameOf, type FrameType } from './frame.ts'
import { EXPELLED, type Hint, hintOf, INTERNAL, STOPPING } from './hint.ts'
import { Outbox } from './outbox.ts'
import type { ResponseEncoder, Told } from './response-encoder.ts'
import type { StorageWatch } from './storage-watch.ts'
import { writeSlowly } from './write-slowly.ts'

/** How much a reader is waited for. */
export type Pace = {
  updateIntervalMs: number
  /** [O3.4] A sign of life after so much silence. */
  heartbeatMs: number
  /** [O10.5] A reader that takes nothing for so long, or is so far behind, is sent away. */
  stallMs: number
  maxBehindBytes: number
  /** What a reader has to take the last words when the server stops. */
  farewellMs: number
}

export type ResponseOptions = {
  source: FeedSource
  accepted: Accepted
  encoder: ResponseEncoder
  patience: Patience
  pace: Pace
  storage: StorageWatch
  logger: Logger
}

/**
 * One response: `status`, what the run says, `response_completed`. The journal is read as fast as it grows, whatever the
 * reader does; what waits for the reader has a bound. Tells whether the run has ended.
 */
export async function writeResponse(response: ServerResponse, options: ResponseOptions): Promise<boolean> {
  const { accepted, source, pace } = options
  const { session_id } = accepted
  const outbox = new Outbox({
    intervalMs: pace.updateIntervalMs,
    maxBytes: pace.maxBehindBytes,
    frameOf: (type, message) => frameOf(session_id, type, message),
    now: source.now,
  })
  const send = (type: FrameType, message: object) => {
    outbox.put(frameOf(session_id, type, message))
    if (outbox.isOverfull) response.destroy()
  }
  send('status', { hint: 'connected' })
  const reading = read(options, { outbox, send })
  await write(response, outbox, options)
  return reading
}

type Writer = { outbox: Outbox; send: (type: FrameType, message: object) => void }

/** From the journal into the outbox, until the run ends or nobody is there. */
async function read(options: ResponseOptions, { outbox, send }: Writer): Promise<boolean> {
  const { source, accepted, encoder, patience, storage, logger } = options
  const { session_id, run_id, since } = accepted
  const encoding = oneByOne<Told>({ told: () => encoder.lost(), stored: (event) => encoder.encode(event) })
  const tell = (all: readonly Told[]): boolean => {
    for (const told of all) {
      if (told.type === 'message_update') outbox.update(told.message)
      if (told.type === 'message_completed') send(told.type, told.message)
      if (told.type !== 'ended') continue
      if (told.end === null) send('error', INTERNAL)
      else if (told.end.status === 'failed') send('error', hintOf(told.end.error))
      return true
    }
    return false
  }
  const breakOff = (hint: Hint) => {
    tell(encoder.finish())
    send('error', hint)
  }
  try {
    const start = { runAt: since, run_id }
    using watch = storage.watch()
    const signal = AbortSignal.any([patience.gone, watch.isDown])
    for await (const { shown } of feed(source, { session_id, start, encoding, signal })) if (tell(shown)) return true
    breakOff(patience.isExpelled ? EXPELLED : patience.isClosing ? STOPPING : INTERNAL)
  } catch (error) {
    logger.error({ err: error, session_id, run_id }, 'a response broke off')
    breakOff(INTERNAL)
  } finally {
    send('response_completed', {})
    outbox.close()
  }
  return false
}

/** From the outbox to the reader, one frame after the other, each when the one before it is on its way. */
async function write(
  response: ServerResponse,
  outbox: Outbox,
  { pace, patience }: Pick<ResponseOptions, 'pace' | 'patience'>,
): Promise<void> {
  const closed = new AbortController()
  const onClose = () => closed.abort()
  response.once('close', onClose)
  const farewell = () => setTimeout(() => response.destroy(), pace.farewellMs).unref()
  patience.gone.addEventListener('abort', farewell, { once: true })
  const put = (frame: string) => writeSlowly(response, frame, { stallMs: pace.stallMs, gone: closed.signal })
  for (;;) {
    const frame = outbox.take()
    if (frame !== undefined) {
      if (!(await put(frame))) break
      continue
    }
    if (outbox.isClosed) break
    const isSilent = (await outbox.changed(pace.heartbeatMs)) === 'silent'
    if (isSilent && !(await put(commentFrame('ping')))) break
  }
  response.off('close', onClose)
  response.end()
}
