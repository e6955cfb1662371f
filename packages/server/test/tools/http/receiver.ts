import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isSignedWith, signedHeaders } from '../../../src/tools/http/signature.ts'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export type Posted = {
  headers: IncomingMessage['headers']
  text: string
  isSigned: boolean
  body: {
    call_id: string
    session_id: string
    subject: string | null
    tool: string
    arguments: Record<string, unknown>
    attempt: number
    callback_url: string
  }
}

export type Reply = (response: ServerResponse, posted: Posted) => void | Promise<void>

/** A product's backend on a real port: keeps what was posted to it, and answers as a test wants it to. */
export class Receiver implements AsyncDisposable {
  readonly posted: Posted[] = []
  /** By tool. */
  readonly replies: Record<string, Reply> = {}
  readonly #server = createServer((request, response) => void this.#hear(request, response))
  readonly #heard = new Set<() => void>()
  url = ''

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/tools`
    return receiver
  }

  of(tool: string): Posted[] {
    return this.posted.filter(({ body }) => body.tool === tool)
  }

  /** The nth request for this tool, past or to come. */
  async until(tool: string, count = 1): Promise<Posted> {
    while (this.of(tool).length < count)
      await new Promise<void>((resolve) => {
        this.#heard.add(resolve)
      })
    return this.of(tool)[count - 1]!
  }

  /** Whoever is connected stays so; nobody else gets in. */
  stopListening(): void {
    this.#server.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { headers } = request
    const signed = { id: String(headers['webhook-id']), seconds: Number(headers['webhook-timestamp']), body: text }
    const isSigned = isSignedWith(SECRET, signed, String(headers['webhook-signature']))
    const posted: Posted = { headers, text, isSigned, body: JSON.parse(text) as Posted['body'] }
    this.posted.push(posted)
    for (const wake of this.#heard) wake()
    this.#heard.clear()
    await (this.replies[posted.body.tool] ?? json({ result: `did ${posted.body.tool}` }))(response, posted)
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export const later: Reply = (response) => void response.writeHead(202).end()

export type CallBack = { secret?: string; id?: string; seconds?: number; headers?: Record<string, string | undefined> }

/** Brings a result as a backend would, or as somebody would who is none. */
export async function callBack(
  url: string,
  body: unknown,
  given: CallBack = {},
): Promise<{ status: number; code?: string }> {
  const { secret = SECRET, id = /tool-calls\/([^/]+)/.exec(url)![1]!, seconds = Math.floor(Date.now() / 1_000) } = given
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    ...signedHeaders(secret, { id, seconds, body: text }),
    ...given.headers,
  }
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const reply = await fetch(url, { method: 'POST', headers: sent, body: text })
  const said = await reply.text()
  return { status: reply.status, ...(said !== '' && { code: (JSON.parse(said) as { code: string }).code }) }
}
