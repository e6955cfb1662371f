import { chatKitError, isChatKitError } from '../model/chat-kit-error.ts'
import { createEventParser, type StreamEvent } from './event-parser.ts'

export type ReadEventsOptions = {
  signal?: AbortSignal
  /** Called for every piece that arrives, comments included. */
  onAlive?: () => void
  /** Bare events (`event: done` without data) also come, with empty data. Default: they are dropped. */
  includeBare?: boolean
}

/** The events of a response, as they arrive. Ends when the body does; a cut connection is a `network` error. */
export async function* readEvents(response: Response, options: ReadEventsOptions = {}): AsyncGenerator<StreamEvent> {
  if (response.body) yield* readEventsFrom(response.body.getReader(), options)
}

export async function* readEventsFrom(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { signal, onAlive, includeBare = false }: ReadEventsOptions = {},
): AsyncGenerator<StreamEvent> {
  let events: StreamEvent[] = []
  const parser = createEventParser({
    onEvent: (event) => events.push(event),
    ...(includeBare && { onEventName: (event: string) => events.push({ event, data: '', id: '' }) }),
  })
  const decoder = new TextDecoder()
  const take = () => {
    const taken = events
    events = []
    return taken
  }
  // Not every fetch ties its body to the request's signal.
  const cancel = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      onAlive?.()
      parser.push(decoder.decode(value, { stream: !done }))
      if (done) parser.end()
      yield* take()
      if (done) return
    }
  } catch (error) {
    throw readFailure(error, signal)
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

function readFailure(error: unknown, signal: AbortSignal | undefined): unknown {
  if (isChatKitError(error)) return error
  if (signal?.aborted) return chatKitError('aborted', 'The run was ended.', { cause: signal.reason })
  return chatKitError('network', 'The connection was lost in the middle of the answer.', { cause: error })
}
