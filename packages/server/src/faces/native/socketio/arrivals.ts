import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { type ErrorBody, type ErrorCode, ERROR_STATUS } from '@parley/protocol'
import type { Arrival, Verdict } from '../../../http/access.ts'

export type ArrivalsOptions = {
  access: (arrival: Arrival) => Verdict
  /** No more connections may be opened. */
  isFull: () => boolean
}

/** What Engine.IO hands to its middleware: for an upgrade, the response is only a shape. */
type Middleware = (request: IncomingMessage, response: ServerResponse | object, next: () => void) => void

/** The checks of every request that Engine.IO gets, polling and websocket, first and later ones alike. */
export function checkArrivals({ access, isFull }: ArrivalsOptions): Middleware {
  return (request, response, next) => {
    const answer = response instanceof ServerResponse ? answerRequest(response) : answerUpgrade(request)
    const { method = 'GET', headers, socket } = request
    const verdict = access({ method, headers, localAddress: socket.localAddress })
    if (!verdict.isAllowed) return answer('forbidden', verdict.reason)
    if (response instanceof ServerResponse) response.setHeaders(new Map(Object.entries(verdict.headers)))
    if (verdict.isPreflight && response instanceof ServerResponse) {
      response.writeHead(204).end()
      return
    }
    const isNew = !new URL(request.url ?? '/', 'http://localhost').searchParams.has('sid')
    if (isNew && isFull())
      return answer('rate_limited', 'This server has as many connections as it takes. Try again later.')
    next()
  }
}

type Answer = (code: ErrorCode, detail: string) => void

function answerRequest(response: ServerResponse): Answer {
  return (code, detail) => {
    response.writeHead(ERROR_STATUS[code], { 'content-type': 'application/json' }).end(bodyOf(code, detail))
  }
}

function answerUpgrade({ socket }: IncomingMessage): Answer {
  return (code, detail) => {
    const body = bodyOf(code, detail)
    const status = ERROR_STATUS[code]
    socket.on('error', () => {})
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

function bodyOf(code: ErrorCode, detail: string): string {
  return JSON.stringify({ detail, code } satisfies ErrorBody)
}
