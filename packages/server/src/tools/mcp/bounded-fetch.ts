import { setTimeout as delay } from 'node:timers/promises'

/** The longest message a server may send, as over stdio. */
const MESSAGE_BYTES = 16 * 1024 * 1024
/** Far more than the tools that are used of one server need: what is read of its list is parsed on the main thread. */
const LIST_BYTES = 4 * 1024 * 1024
/** All of one event stream; the client opens another when it is cut. */
const STREAM_BYTES = 256 * 1024 * 1024
/** More events than this in one piece are a flood: they are then let through a thousand a second. */
const FLOOD = 50
/** Of the words in which a server refuses. */
const REFUSAL_BYTES = 64 * 1024

/**
 * A `fetch` that trusts nothing it gets: answers, single events and whole streams have a size, a flood of events is slowed
 * down, and a batch, which this protocol no longer knows, is refused. What is too long fails the request that it was for,
 * and is not read on.
 */
export function boundedFetch(fetch: typeof globalThis.fetch) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const bounded = response.body.pipeThrough(checked(limitsOf(response, init)))
    const { status, statusText, headers } = response
    const answer = new Response(bounded, { status, statusText, headers: [...headers] })
    // Where a redirect led, which a response made by hand does not know.
    Object.defineProperty(answer, 'url', { value: response.url })
    return answer
  }
}

type Limits = { total: number; event: number; isJson: boolean }

function limitsOf({ ok, headers }: Response, init: RequestInit | undefined): Limits {
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false
  const message = isList(init) ? LIST_BYTES : MESSAGE_BYTES
  if (!ok) return { total: REFUSAL_BYTES, event: REFUSAL_BYTES, isJson: false }
  return { total: isStream ? STREAM_BYTES : message, event: message, isJson: !isStream }
}

function isList(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && init.body.includes('"method":"tools/list"')
}

const [LINE_FEED, RETURN, BRACKET] = [0x0a, 0x0d, 0x5b]

function checked({ total, event, isJson }: Limits): TransformStream<Uint8Array, Uint8Array> {
  let read = 0
  let isFirst = isJson
  const countEvents = eventCounter()
  return new TransformStream({
    async transform(chunk, controller) {
      const start = isFirst ? chunk.findIndex((byte) => byte > 0x20) : -1
      if (start >= 0) isFirst = false
      if (start >= 0 && chunk[start] === BRACKET) throw new Error('The MCP server sent several messages as one.')
      read += chunk.length
      if (read > total) throw tooLong(total)
      if (isJson) return controller.enqueue(chunk)
      const { longest, events } = countEvents(chunk)
      if (longest > event) throw tooLong(event)
      controller.enqueue(chunk)
      // The sender waits with us, and meanwhile everybody else gets a turn.
      if (events > FLOOD) await delay(events, undefined, { ref: false })
    },
  })
}

/** Counts events, and the bytes of the one under way, from piece to piece; an empty line ends it. */
function eventCounter(): (chunk: Uint8Array) => { longest: number; events: number } {
  let [size, line] = [0, 0]
  let wasReturn = false
  return (chunk) => {
    let [longest, events] = [size, 0]
    for (const byte of chunk) {
      const isSecondHalf = byte === LINE_FEED && wasReturn
      wasReturn = byte === RETURN
      if (isSecondHalf) continue
      if (byte === LINE_FEED || byte === RETURN) {
        if (line === 0) [size, events] = [0, events + 1]
        line = 0
        continue
      }
      line++
      if (++size > longest) longest = size
    }
    return { longest, events }
  }
}

function tooLong(bytes: number): Error {
  return new Error(`The MCP server sent more than ${bytes} bytes at once.`)
}
