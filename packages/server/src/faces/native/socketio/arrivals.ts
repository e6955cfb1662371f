import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { AgentError, type ErrorCode } from '@parley/protocol'
import { ERROR_STATUS } from '@parley/protocol/wire'
import type { Access } from '../../../http/access.ts'
import { errorBody, type Failure, failureOf } from '../../../http/failure.ts'
import { acceptedLanguage, type Language } from '../../../words/language.ts'
import { readerFor } from '../../../words/reader.ts'
import type { Strangers } from './strangers.ts'

export type ArrivalsOptions = {
  access: Access
  /** No more connections may be opened. */
  isFull: () => boolean
  strangers: Strangers
  /** For whoever does not ask for another. */
  language: Language
}

/** What Engine.IO hands to its middleware: for an upgrade, the response is only a shape. */
type Middleware = (request: IncomingMessage, response: ServerResponse | object, next: () => void) => void

/** The checks of every request that Engine.IO gets, polling and websocket, first and later ones alike. */
export function checkArrivals({ access, isFull, strangers, language }: ArrivalsOptions): Middleware {
  return (request, response, next) => {
    const { method = 'GET', headers, socket } = request
    const tell = response instanceof ServerResponse ? answerRequest(response) : answerUpgrade(request)
    const reader = readerFor({}, acceptedLanguage(headers['accept-language']) ?? language)
    const answer = (code: ErrorCode, detail: string) => tell(failureOf(new AgentError(code, detail), reader))
    const verdict = access({ method, headers, localAddress: socket.localAddress })
    if (!verdict.isAllowed) return answer('forbidden', verdict.reason)
    if (!verdict.takesCookies) delete headers.cookie
    if (response instanceof ServerResponse) response.setHeaders(new Map(Object.entries(verdict.headers)))
    if (verdict.isPreflight && response instanceof ServerResponse) {
      response.writeHead(204).end()
      return
    }
    const sid = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sid')
    if (sid === null && isFull())
      return answer('rate_limited', 'This server has as many connections as it takes. Try again later.')
    if (sid !== null && strangers.has(sid)) {
      if (!(response instanceof ServerResponse)) strangers.watch(sid, socket)
      else if (method === 'POST' && !strangers.mayTake(sid, Number(headers['content-length'] ?? Number.NaN)))
        return answer('payload_too_large', 'Say who you are first, in a few bytes.')
    }
    next()
  }
}

type Answer = (failure: Failure) => void

function answerRequest(response: ServerResponse): Answer {
  return (failure) => {
    // What is still coming is not waited for.
    const headers = { 'content-type': 'application/json', connection: 'close' }
    response.writeHead(ERROR_STATUS[failure.code], headers).end(JSON.stringify(errorBody(failure)))
  }
}

function answerUpgrade({ socket }: IncomingMessage): Answer {
  return (failure) => {
    const body = JSON.stringify(errorBody(failure))
    const status = ERROR_STATUS[failure.code]
    socket.on('error', () => {})
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}
