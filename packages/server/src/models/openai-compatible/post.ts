import type { Agent as HttpAgent, ClientRequest } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type Endpoint = {
  /** Our id of the model, as events and failures name it. */
  id: string
  /** Up to and without `/chat/completions`. */
  baseUrl: URL
  apiKey?: string
  headers?: Readonly<Record<string, string>>
  /** Keeps connections alive between calls; of the kind that `baseUrl` needs. */
  agent: HttpAgent
  connectTimeoutMs: number
  /** The longest silence between two bytes, before the first one too. */
  idleTimeoutMs: number
}

/** Sends a request. It gives up a connection that does not come about; of a silent one it emits `timeout`. */
export function post(endpoint: Endpoint, body: string): ClientRequest {
  const { baseUrl, apiKey, headers, agent, connectTimeoutMs, idleTimeoutMs } = endpoint
  const bytes = Buffer.from(body)
  const request = (baseUrl.protocol === 'https:' ? httpsRequest : httpRequest)(chatCompletions(baseUrl), {
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

function chatCompletions(baseUrl: URL): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/chat/completions`
  return url
}
