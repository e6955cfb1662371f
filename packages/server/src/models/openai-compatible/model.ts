import type { Agent as HttpAgent, ClientRequest, IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createParser } from 'eventsource-parser'
import { failureOf, networkFailure, withoutKeys } from '../failure.ts'
import type { Model, ModelFailure, ModelRequest } from '../../ports.ts'
import { EventQueue } from './event-queue.ts'
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
/** One server-sent event is never longer; a body that is all one line must not fill the memory. */
const MAX_EVENT_CHARS = 16_000_000
const MAX_ERROR_CHARS = 64_000

function startCall(options: OpenAICompatibleOptions, request: ModelRequest): EventQueue {
  const { id, apiKey = '', newCallId } = options
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
    newCallId,
    emit(event) {
      queue.push(event)
      if (event.type === 'finish') end()
      if (event.type === 'failed') close()
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

  function send(body: string) {
    const sent = post(options, body)
    outgoing = sent
    sent.on('response', onResponse)
    sent.on('error', (error) => {
      // The server closed an idle connection just as we took it: nothing was read of the request, so ask again.
      if (sent.reusedSocket && !incoming && !isOver && isReset(error)) send(body)
      else reply.cut(withoutKeys(error.message || String(error), apiKey))
    })
    sent.on('timeout', () => {
      // A connection that we hold back ourselves is silent too.
      if (!incoming?.isPaused()) sent.destroy(new Error(`no data for ${options.idleTimeoutMs} ms`))
    })
  }

  function onResponse(response: IncomingMessage) {
    incoming = response
    response.setEncoding('utf8')
    if (!isEventStream(response)) {
      void readText(response).then((body) => fail(refusal(response, { id, body, secret: apiKey })))
      return
    }
    const parser = createParser({
      maxBufferSize: MAX_EVENT_CHARS,
      onEvent: (event) => reply.data(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') reply.cut('it sent an event without an end')
      },
    })
    response.on('data', (text: string) => {
      if (!response.destroyed) parser.feed(text)
    })
    response.on('end', () => reply.end())
    response.on('error', (error) => reply.cut(error.message))
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
  if (body.includes('"error"')) return failureOf(said)
  const what = `answered HTTP ${status} with ${headers['content-type'] ?? 'no content type'} in place of an event stream`
  return {
    kind: 'invalid',
    message: `${id}: the server ${what}. Check the URL of the model.`,
    incomplete: false,
  } as const
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/** What there is of an error's body; a connection that breaks here does not matter any more. */
async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const piece of response) {
      text += piece
      if (text.length > MAX_ERROR_CHARS) break
    }
  } catch {
    // The status says enough.
  }
  return text
}
