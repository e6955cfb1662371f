import type { AdapterIO } from '../model/chat-adapter.ts'
import type { ChatKitError } from '../model/chat-kit-error.ts'
import { parseJson } from '../stream/parse-json.ts'
import { httpError, isJsonResponse, readBody } from '../stream/read-answer.ts'

/** What a platform's body says about a failure; `undefined` when it is none, or the status says enough. */
export type ErrorOf = (status: number, body: unknown, headers: Headers) => ChatKitError | undefined

export type Call = {
  url: string
  method?: string
  /** Sent as JSON, unless it is a form. */
  body?: unknown
  headers?: Record<string, string> | undefined
  errorOf: ErrorOf
}

/** A request for a stream. Failures throw, also those that a platform reports as JSON under status 200. */
export async function openStream(io: AdapterIO, call: Call): Promise<Response> {
  const response = await request(io, call, 'text/event-stream')
  if (response.status >= 400) throw await failureIn(response, call)
  if (!isJsonResponse(response)) return response
  const text = await response.text()
  const failure = call.errorOf(response.status, parseJson(text) ?? { message: text }, response.headers)
  if (failure) throw failure
  return new Response(text) // One object instead of a stream: read as its only event.
}

/** A request for JSON. Failures throw. */
export async function callJson(io: AdapterIO, call: Call): Promise<unknown> {
  const response = await request(io, call, 'application/json')
  if (response.status >= 400) throw await failureIn(response, call)
  if (response.status === 204) return null
  const body = await readBody(response)
  const failure = call.errorOf(response.status, body, response.headers)
  if (failure) throw failure
  return body
}

function request(io: AdapterIO, { url, method = 'POST', body, headers }: Call, accept: string): Promise<Response> {
  const isForm = body instanceof FormData
  return io.fetch(url, {
    method,
    headers: { accept, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
}

async function failureIn(response: Response, { errorOf }: Call): Promise<ChatKitError> {
  const body = await readBody(response)
  return errorOf(response.status, body, response.headers) ?? httpError(response.status, body)
}
