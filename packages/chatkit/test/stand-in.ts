// The linter reads tests outside of any project and needs to be told.
/// <reference lib="esnext.disposable" />
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Recorded = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
  text: string
}
export type Handler = (request: Recorded, response: ServerResponse) => void | Promise<void>

/** A platform on a real port: answers as the handler says and remembers what it was asked. */
export async function startStandIn(handler: Handler) {
  const requests: Recorded[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { method = '', url: path = '', headers } = incoming
      const recorded = { method, path, headers, text, body: parsed(text) }
      requests.push(recorded)
      void handler(recorded, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

/** Opens an event stream and writes to it; the caller ends or destroys it. */
export function stream(response: ServerResponse, text = ''): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  if (text) response.write(text)
  return response
}

/** Writes a whole stream in pieces of a few bytes, each its own packet as far as the system lets it. */
export async function trickle(response: ServerResponse, text: string, size = 7): Promise<void> {
  stream(response)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size)
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, at + size), () => resolve())
    })
  response.end()
}

/** `data:` frames of JSON values; a string goes as it is. */
export function frames(...values: unknown[]): string {
  return values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
