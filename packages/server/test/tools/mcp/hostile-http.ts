import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Message = { id?: number; method: string; params?: { name?: string; cursor?: string } }

/** How it answers one message; what is left out is answered as a decent server would. */
export type Tricks = {
  list?: Trick | undefined
  call?: Trick | undefined
  /** The stream that a client opens to hear what happens. */
  stream?: (response: ServerResponse) => unknown
}

export type Trick = (response: ServerResponse, message: Message) => unknown

export type HostileServer = AsyncDisposable & {
  url: string
  received: { method: string; message: Message | null; headers: IncomingMessage['headers'] }[]
}

export const TOOL = { name: 'do', description: 'Does it.', inputSchema: { type: 'object' } }

/** An MCP server over streamable HTTP, written by hand, so that nothing keeps it from being as bad as the test wants. */
export async function startHostile(tricks: Tricks = {}): Promise<HostileServer> {
  const received: HostileServer['received'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method = '', headers } = request
      const message = body === '' ? null : (JSON.parse(body) as Message)
      received.push({ method, message, headers })
      response.on('error', () => undefined)
      if (method === 'GET') return tricks.stream ? tricks.stream(response) : response.writeHead(405).end()
      if (message?.method === 'initialize') return answer(response, message, HANDSHAKE)
      if (message?.method === 'tools/list')
        return tricks.list ? tricks.list(response, message) : answer(response, message, { tools: [TOOL] })
      if (message?.method === 'tools/call')
        return tricks.call ? tricks.call(response, message) : answer(response, message, textResult('done'))
      if (message?.method === 'ping') return answer(response, message, {})
      return response.writeHead(202).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const HANDSHAKE = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'hostile', version: '1' },
}

export const textResult = (text: string) => ({ content: [{ type: 'text', text }] })

export function answer(response: ServerResponse, { id }: Message, result: object): void {
  json(response, JSON.stringify({ jsonrpc: '2.0', id, result }))
}

export function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

export function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

export const eventOf = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`

/** Writes the same thing as fast as the other side takes it, until that hangs up; how much that was. */
export async function pour(response: ServerResponse, piece: string, most = 400 * 1024 * 1024): Promise<number> {
  let written = 0
  const gone = new Promise<void>((resolve) => void response.once('close', () => resolve()))
  while (!response.destroyed && written < most) {
    written += piece.length
    if (!response.write(piece)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone])
  }
  response.end()
  return written
}
