/** A small server that plays scripted runs over real Socket.IO and HTTP, and breaks the way networks break. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { CommandName } from '@parley/protocol'
import { Server } from 'socket.io'
import { failure, scriptedCommands } from './scripted-commands.ts'
import { type Answer, answerTo } from './scripted-routes.ts'
import { ScriptedSession } from './scripted-session.ts'

export type Script = (session: ScriptedSession, message: Message) => Promise<void>
export type Message = {
  message: unknown
  askuser_answer?: { tool_call_id: string; selections: object; custom: object }
} & Record<string, unknown>
type Ack = (answer: object) => void

type Request = {
  method: string
  url: string
  authorization: string | undefined
  /** Content type of the body. */
  type: string | undefined
  body: unknown
}

export type ScriptedServer = AsyncDisposable & {
  url: string
  keys: Set<string>
  /** How long a credential is good for, as sockets are told; null: they are told nothing. */
  lastsMs: number | null
  /** Tokens that sockets went on with. */
  renewals: string[]
  capabilities: string[]
  /** Runs by the text of the message; `default` for all others, `answer` for answers. */
  scripts: Record<string, Script | undefined>
  sessions: Map<string, ScriptedSession>
  /** Everything clients sent, in order. */
  commands: { name: CommandName; payload: Record<string, unknown> }[]
  handshakes: Record<string, unknown>[]
  requests: Request[]
  /** Answers by `METHOD path`, before the server's own. */
  routes: Record<string, (request: { body: unknown; url: URL }) => Answer | Promise<Answer>>
  session(id?: string): ScriptedSession
  /** Ends every connection as a network does: without a word. */
  cut(): void
  /** The next command of this name is carried out, but its acknowledgement never arrives. */
  loseAck(name: CommandName): void
  /** Takes a key back: its sockets are told and disconnected. */
  revoke(key: string): void
  connections(): number
}

export const KEY = 'sk-test-1'

export async function startScriptedServer(): Promise<ScriptedServer> {
  const http = createServer((request, response) => void route(request, response))
  const io = new Server(http, { transports: ['websocket', 'polling'] })
  const losing: CommandName[] = []
  let nextId = 0

  const server: ScriptedServer = {
    url: '',
    keys: new Set([KEY]),
    lastsMs: null,
    renewals: [],
    capabilities: ['patch_mode', 'since', 'chat_append'],
    scripts: {},
    sessions: new Map(),
    commands: [],
    handshakes: [],
    requests: [],
    routes: {},
    session(id = `sess_${(nextId += 1)}`) {
      const session = server.sessions.get(id) ?? new ScriptedSession(id)
      server.sessions.set(id, session)
      return session
    },
    cut() {
      for (const socket of io.sockets.sockets.values()) socket.conn.close()
    },
    loseAck: (name) => void losing.push(name),
    revoke(key) {
      server.keys.delete(key)
      for (const socket of io.sockets.sockets.values()) {
        if (socket.handshake.auth['token'] !== key) continue
        socket.emit('system:error', { session_id: null, code: 'unauthorized', message: 'The key was revoked.' })
        socket.disconnect(true)
      }
    },
    connections: () => io.sockets.sockets.size,
    async [Symbol.asyncDispose]() {
      await io.close()
    },
  }

  const handlers = scriptedCommands(server)
  io.use((socket, next) => {
    const { auth } = socket.handshake
    server.handshakes.push(auth)
    if (server.keys.has(String(auth['token']))) return next()
    next(Object.assign(new Error('unauthorized'), { data: { code: 'unauthorized', detail: 'Unknown key.' } }))
  })
  io.on('connection', (socket) => {
    const expiry = () => ({ expires_at: 'in a moment', expires_in_ms: server.lastsMs })
    if (server.lastsMs !== null) socket.emit('auth:expires', expiry())
    socket.on('auth:renew', ({ token }: { token: string }, ack: Ack) => {
      if (!server.keys.has(token)) return ack(failure('unauthorized', 'Unknown key.'))
      server.renewals.push(token)
      socket.handshake.auth['token'] = token
      ack({ status: 'ok', ...expiry() })
    })
    socket.on('disconnect', () => {
      for (const session of server.sessions.values()) session.readers.delete(socket)
    })
    for (const name of Object.keys(handlers) as CommandName[])
      socket.on(name, (payload: Record<string, unknown>, ack?: Ack) => {
        server.commands.push({ name, payload })
        const answer = handlers[name](socket, payload)
        if (losing[0] === name) {
          losing.shift()
          return socket.conn.close()
        }
        if (answer['status'] === 'error')
          socket.emit('system:error', { ...answer, session_id: payload['session_id'] ?? null })
        ack?.(answer)
      })
  })

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body: unknown = request.headers['content-type']?.includes('json') && text ? JSON.parse(text) : text
    const { method = 'GET', url = '/' } = request
    const { authorization, 'content-type': type } = request.headers
    server.requests.push({ method, url, authorization, type, body })
    const { status, body: answer } = await answerTo(server, {
      method,
      url: new URL(url, 'http://x'),
      authorization,
      body,
    })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(answer === undefined ? '' : JSON.stringify(answer))
  }

  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  server.url = `http://127.0.0.1:${(http.address() as { port: number }).port}`
  return server
}
