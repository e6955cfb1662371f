import { MAX_ERROR_CHARACTERS, MAX_EVENT_CHARACTERS } from '../failure.ts'

const [NEW_LINE, RETURN] = [0x0a, 0x0d]

/**
 * The provider packages read whatever comes until an event ends, and errors whole. With this, an event that does not
 * end breaks the answer off, and of an error only the beginning is read.
 */
export function boundAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request)
    const { body, ok, status, statusText, headers } = response
    if (!body) return response
    const bounded = body.pipeThrough(ok ? endingEvents() : beginning(MAX_ERROR_CHARACTERS))
    return new Response(bounded, { status, statusText, headers: new Headers([...headers]) })
  }
}

function endingEvents(): TransformStream<Uint8Array, Uint8Array> {
  let open = 0
  let isLineEmpty = true
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0
      for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, from)) {
        // An empty line ends the event.
        const isEmpty = isLineEmpty && isBlank(chunk, from, end)
        open = isEmpty ? 0 : open + end - from
        isLineEmpty = true
        from = end + 1
      }
      isLineEmpty &&= isBlank(chunk, from, chunk.length)
      open += chunk.length - from
      if (open > MAX_EVENT_CHARACTERS) controller.error(new Error('it sent an event without an end'))
      else controller.enqueue(chunk)
    },
  })
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  return to === from || (to === from + 1 && bytes[from] === RETURN)
}

function beginning(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}
