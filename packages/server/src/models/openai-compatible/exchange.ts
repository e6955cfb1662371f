import type { ClientRequest, IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import {
  failureOf,
  isWebPage,
  MAX_ERROR_CHARACTERS,
  MAX_EVENT_CHARACTERS,
  unreadableFailure,
  WEB_PAGE,
  withoutKeys,
} from '../failure.ts'
import type { ModelFailure } from '../../ports.ts'
import { type Endpoint, post } from './post.ts'
import { readProviderBody } from './read-provider-body.ts'

/** Who hears what comes back: the events of a stream, or why there is none. */
type Listener = {
  reply: { data: (data: string) => void; end: () => void; cut: (cause: string) => void }
  fail: (failure: ModelFailure) => void
}

export type Exchange = { pause: () => void; resume: () => void; close: () => void }

/** One request and the answer to it, on a connection that may have served others. */
export function startExchange(endpoint: Endpoint, body: string, { reply, fail }: Listener): Exchange {
  const { id, apiKey = '', idleTimeoutMs } = endpoint
  let outgoing: ClientRequest | undefined
  let incoming: IncomingMessage | undefined
  let isClosed = false

  /** Nobody awaits what sockets call: a throw in there must end this call, not the process. */
  function safely<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        work(...args)
      } catch (error) {
        fail(unreadableFailure(id, `its answer could not be read (${withoutKeys(String(error), apiKey)})`, true))
      }
    }
  }

  function send() {
    const sent = post(endpoint, body)
    outgoing = sent
    sent.on('response', safely(onResponse))
    sent.on(
      'error',
      safely((error: Error) => {
        // The server closed an idle connection just as we took it: nothing was read of the request, so ask again.
        if (sent.reusedSocket && !incoming && !isClosed && isReset(error)) send()
        else reply.cut(withoutKeys(error.message || String(error), apiKey))
      }),
    )
    sent.on('timeout', () => {
      // A connection that we hold back ourselves is silent too.
      if (!incoming?.isPaused()) sent.destroy(new Error(`no data for ${idleTimeoutMs} ms`))
    })
    // Without an answer and without an error: it wanted to speak another protocol.
    sent.on(
      'close',
      safely(() => {
        if (sent === outgoing && !incoming) reply.cut('the server closed the connection without an answer')
      }),
    )
  }

  function onResponse(response: IncomingMessage) {
    incoming = response
    if (!isEventStream(response)) {
      const refuse = safely((said: string) => fail(refusal(response, { id, body: said, secret: apiKey })))
      void readProviderBody(response, MAX_ERROR_CHARACTERS).then(refuse)
      return
    }
    response.setEncoding('utf8')
    const parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: (event) => reply.data(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') reply.cut('it sent an event without an end')
      },
    })
    const feed = (text: string) => {
      if (!response.destroyed) parser.feed(text)
    }
    response.on('data', safely(feed))
    response.on(
      'end',
      safely(() => reply.end()),
    )
    response.on(
      'error',
      safely((error: Error) => reply.cut(error.message)),
    )
  }

  send()
  return {
    pause: () => incoming?.pause(),
    resume: () => incoming?.resume(),
    /** Ends the connection, whatever is still on its way. */
    close() {
      isClosed = true
      outgoing?.destroy()
    },
  }
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/** Some servers stream under a wrong content type, so only what surely is no stream counts as none. */
function isEventStream({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300 && !/text\/html|application\/json/.test(headers['content-type'] ?? '')
}

function refusal(
  response: IncomingMessage,
  { id, body, secret }: { id: string; body: string; secret: string },
): ModelFailure {
  const { statusCode: status = 0, headers } = response
  const said = { model: id, body, headers, incomplete: false, secret }
  if (status >= 400) return failureOf({ ...said, status })
  if (body.includes('"error"') && !isWebPage(body)) return failureOf(said)
  const what = `answered HTTP ${status} with ${headers['content-type'] ?? 'no content type'} in place of an event stream`
  return {
    kind: 'invalid',
    message: `${id}: the server ${what}: ${isWebPage(body) ? WEB_PAGE : 'Check the URL of the model.'}`,
    incomplete: false,
  }
}
