import type { Agent as HttpAgent, ClientRequest, IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createParser } from 'eventsource-parser'
import type { AnswerLimits } from '../answer-meter.ts'
import {
  failureOf,
  isWebPage,
  MAX_ERROR_CHARACTERS,
  MAX_EVENT_CHARACTERS,
  networkFailure,
  unreadableFailure,
  WEB_PAGE,
  withoutKeys,
} from '../failure.ts'
import type { Model, ModelFailure, ModelRequest } from '../../ports.ts'
import { EventQueue } from './event-queue.ts'
import { readProviderBody } from './read-provider-body.ts'
import { readReply } from './read-reply.ts'
import { requestBody } from './request-body.ts'

export type OpenAICompatibleOptions = {
  /** Our id of the model, as events and failures name it. */
  id: string
  /** The provider's id of the model, or a way to find it out. A failure to find it out is a value. */
  model: string | ((signal: AbortSignal) => Promise<string | ModelFailure>)
  /** Up to and without `/chat/completions`. */
  baseUrl: URL
  apiKey?: string
  headers?: Readonly<Record<string, string>>
  /** Keeps connections alive between calls; of the kind that `baseUrl` needs. */
  agent: HttpAgent
  connectTimeoutMs: number
  /** The longest silence between two bytes, before the first one too. */
  idleTimeoutMs: number
  limits: AnswerLimits
  newCallId: () => string
}

/** The lean wire: chat completions over `node:http`, one `JSON.parse` per event and no web streams. */
export function createOpenAICompatibleModel(options: OpenAICompatibleOptions): Model {
  return {
    stream: (request) => ({ [Symbol.asyncIterator]: () => startCall(options, request) }),
  }
}

/** More than this of unread text, and the socket waits for the reader. */
const MAX_BUFFERED_CHARS = 256_000

function startCall(options: OpenAICompatibleOptions, request: ModelRequest): EventQueue {
  const { id, apiKey = '', limits, newCallId } = options
  const { signal } = request
  let outgoing: ClientRequest | undefined
  let incoming: IncomingMessage | undefined
  let isOver = false

  const queue = new EventQueue({
    signal,
    maxBufferedChars: MAX_BUFFERED_CHARS,
    onFull: () => incoming?.pause(),
    onDrained: () => incoming?.resume(),
    onReturn: close,
  })
  const reply = readReply({
    model: id,
    secret: apiKey,
    limits,
    newCallId,
    emit(event) {
      queue.push(event)
      // Of an answer that is too long more may be on its way.
      if (event.type === 'failed' || (event.type === 'finish' && event.reason === 'length')) close()
      else if (event.type === 'finish') end()
    },
  })

  /** The call is over; the connection serves the next one. */
  function end() {
    isOver = true
    signal.removeEventListener('abort', close)
    queue.end()
  }

  function close() {
    end()
    outgoing?.destroy()
  }

  function fail(failure: ModelFailure) {
    queue.push({ type: 'failed', failure, usage: null })
    close()
  }

  async function begin() {
    const model = typeof options.model === 'string' ? options.model : await options.model(signal)
    if (isOver) return
    if (typeof model === 'string') send(requestBody(request, model))
    else fail(model)
  }

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

  function send(body: string) {
    const sent = post(options, body)
    outgoing = sent
    sent.on('response', safely(onResponse))
    sent.on(
      'error',
      safely((error: Error) => {
        // The server closed an idle connection just as we took it: nothing was read of the request, so ask again.
        if (sent.reusedSocket && !incoming && !isOver && isReset(error)) send(body)
        else reply.cut(withoutKeys(error.message || String(error), apiKey))
      }),
    )
    sent.on('timeout', () => {
      // A connection that we hold back ourselves is silent too.
      if (!incoming?.isPaused()) sent.destroy(new Error(`no data for ${options.idleTimeoutMs} ms`))
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
      const refuse = safely((body: string) => fail(refusal(response, { id, body, secret: apiKey })))
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

  if (signal.aborted) queue.end()
  else {
    signal.addEventListener('abort', close, { once: true })
    begin().catch((error: unknown) => fail(networkFailure(id, String(error), false)))
  }
  return queue
}

function post(options: OpenAICompatibleOptions, body: string): ClientRequest {
  const { baseUrl, apiKey, headers, agent, connectTimeoutMs, idleTimeoutMs } = options
  const bytes = Buffer.from(body)
  const request = (baseUrl.protocol === 'https:' ? httpsRequest : httpRequest)(endpoint(baseUrl), {
    method: 'POST',
    agent,
    timeout: idleTimeoutMs,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...headers,
    },
  })
  request.on('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(
      () => request.destroy(new Error(`no connection after ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    const clear = () => clearTimeout(timer)
    socket.once(baseUrl.protocol === 'https:' ? 'secureConnect' : 'connect', clear)
    request.once('close', clear)
  })
  request.end(bytes)
  return request
}

function endpoint(baseUrl: URL): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/chat/completions`
  return url
}

/** Some servers stream under a wrong content type, so only what surely is no stream counts as none. */
function isEventStream({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300 && !/text\/html|application\/json/.test(headers['content-type'] ?? '')
}

function refusal(response: IncomingMessage, { id, body, secret }: { id: string; body: string; secret: string }) {
  const { statusCode: status = 0, headers } = response
  const said = { model: id, body, headers, incomplete: false, secret }
  if (status >= 400) return failureOf({ ...said, status })
  if (body.includes('"error"') && !isWebPage(body)) return failureOf(said)
  const what = `answered HTTP ${status} with ${headers['content-type'] ?? 'no content type'} in place of an event stream`
  return {
    kind: 'invalid',
    message: `${id}: the server ${what}: ${isWebPage(body) ? WEB_PAGE : 'Check the URL of the model.'}`,
    incomplete: false,
  } as const
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
