import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { anthropicErrorBody, anthropicFrames, anthropicStreamError } from './provider-anthropic.ts'
import { openaiErrorBody, openaiFrames, openaiStreamError } from './provider-openai.ts'
import type { FakeError, FakeReply } from './provider-reply.ts'
import { readBody, type FakeRequest, type FakeWire } from './provider-request.ts'

/** Chooses by what the request says. `undefined`: the script answers. */
export type FakeChoice = (request: FakeRequest) => FakeReply | undefined

export type FakeModelOptions = {
  choose?: FakeChoice
  port?: number
  /** The names that it lists. An array that a test changes is listed as it then is. */
  models?: readonly string[]
}

export type FakeModel = AsyncDisposable & {
  /** Base URL for both wires: `/chat/completions`, `/messages` and `/models` are below it. */
  url: string
  /** Every request so far, in the order of arrival. */
  requests: readonly FakeRequest[]
  /** Resolves when that many requests have arrived. */
  received: (count: number) => Promise<readonly FakeRequest[]>
  /** How many connections are open. */
  connections: () => Promise<number>
  /** Adds replies to the end of the script. */
  add: (...replies: FakeReply[]) => void
  /** Cuts every connection and stops listening. */
  close: () => Promise<void>
}

/**
 * A model provider on a real port that speaks OpenAI's and Anthropic's wires and breaks the way providers break. It
 * answers by `choose` if that has an answer, else with the next reply of the script; a request beyond the script gets a
 * 400, which nobody retries.
 *
 *   await using provider = await startFakeModel([{ text: 'Paris is', hangUp: true }])
 *   await using provider = await startFakeModel((request) => ({ text: `You said ${request.question}` }))
 */
export async function startFakeModel(
  script: readonly FakeReply[] | FakeChoice = [],
  { choose, port = 0, models = ['fake-model'] }: FakeModelOptions = {},
): Promise<FakeModel> {
  const choice = typeof script === 'function' ? script : choose
  const queue = typeof script === 'function' ? [] : [...script]
  const requests: FakeRequest[] = []
  const arrivals = new Set<() => void>()

  async function handle(incoming: IncomingMessage, response: ServerResponse) {
    const path = incoming.url ?? ''
    const wire = wireOf(path)
    if (incoming.method === 'GET' && path.endsWith('/models'))
      return sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
    if (!wire) return sendJson(response, 404, { error: { message: `Unknown path ${path}`, type: 'not_found' } })
    const request = await read(incoming, response, { wire, path, number: requests.length + 1 })
    requests.push(request)
    for (const wake of arrivals) wake()
    const reply = choice?.(request) ?? queue.shift() ?? NOTHING_LEFT
    await send(reply, request, response)
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  async function close() {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async received(count) {
      while (requests.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        arrivals.add(resolve)
        await promise
        arrivals.delete(resolve)
      }
      return requests
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    add: (...replies) => void queue.push(...replies),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const NOTHING_LEFT: FakeReply = {
  error: {
    status: 400,
    body: { error: { message: 'The fake model has no reply left in its script.', type: 'invalid_request_error' } },
  },
}

/** OpenAI's responses are known too, but only as recorded replies. */
function wireOf(path: string): FakeWire | undefined {
  if (path.endsWith('/chat/completions') || path.endsWith('/responses')) return 'openai'
  return path.endsWith('/messages') ? 'anthropic' : undefined
}

async function read(
  incoming: IncomingMessage,
  response: ServerResponse,
  about: { wire: FakeWire; path: string; number: number },
): Promise<FakeRequest> {
  const { promise: closed, resolve } = Promise.withResolvers<'finished' | 'aborted'>()
  response.on('close', () => resolve(response.writableFinished ? 'finished' : 'aborted'))
  const bytes = await buffer(incoming)
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>
  return { ...about, ...readBody(about.wire, body), headers: incoming.headers, bytes, body, closed }
}

async function send(reply: FakeReply, request: FakeRequest, response: ServerResponse): Promise<void> {
  const { delayMs = 0, chunkDelayMs = 0, error, recorded, errorInStream } = reply
  if (delayMs > 0) await sleep(delayMs)
  await reply.until
  if (reply.hang === 'before') return
  if (error) return sendError(error, request, response)
  response.writeHead(recorded?.status ?? 200, { 'content-type': recorded?.contentType ?? 'text/event-stream' })
  response.flushHeaders()

  const { said, ending } = recorded
    ? { said: [recorded.body].flat(), ending: [] }
    : request.wire === 'openai'
      ? openaiFrames(reply, request)
      : anthropicFrames(reply, request)
  if (!(await write(said, chunkDelayMs, response))) return
  if (errorInStream)
    response.write(request.wire === 'openai' ? openaiStreamError(errorInStream) : anthropicStreamError(errorInStream))
  if (reply.garbage) response.write('data: {"choices": [{"del\n\n')
  if (reply.hang === 'after') return
  // What was said has to leave before the cut, or there is nothing to be cut off.
  if (reply.hangUp) return void response.write(': cut\n\n', () => response.destroy())
  if (!errorInStream && !reply.garbage && !(await write(ending, chunkDelayMs, response))) return
  response.end()
}

/** False when the caller has left. Without a pause between them the chunks go out together, as from a fast provider. */
async function write(frames: readonly (string | Uint8Array)[], chunkDelayMs: number, response: ServerResponse) {
  if (frames.length === 0) return !response.destroyed
  if (chunkDelayMs === 0) response.write(Buffer.concat(frames.map((frame) => Buffer.from(frame))))
  else
    for (const frame of frames) {
      await sleep(chunkDelayMs)
      if (response.destroyed) return false
      response.write(frame)
    }
  return !response.destroyed
}

function sendError(error: FakeError, { wire }: FakeRequest, response: ServerResponse): void {
  if (error.retryAfter !== undefined) response.setHeader('retry-after', String(error.retryAfter))
  const body = error.body ?? (wire === 'openai' ? openaiErrorBody(error) : anthropicErrorBody(error))
  sendJson(response, error.status, body)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
