/** A small server that plays scripted runs over real Socket.IO and HTTP, and breaks the way networks break. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { CommandName, SubscribePayload } from '@parley/protocol'
import { Server, type Socket } from 'socket.io'
import { ScriptedSession } from './scripted-session.ts'

export type Script = (session: ScriptedSession, message: Message) => Promise<void>
type Message = {
  message: unknown
  askuser_answer?: { tool_call_id: string; selections: object; custom: object }
} & Record<string, unknown>
type Ack = (answer: object) => void
type Answer = { status: number; body?: unknown }

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
  requests: { method: string; url: string; authorization: string | undefined; body: unknown }[]
  /** Answers by `METHOD path`, before the server's own. */
  routes: Record<string, (request: { body: unknown }) => Answer | Promise<Answer>>
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

  const handlers: Record<CommandName, (socket: Socket, payload: Record<string, unknown>) => Record<string, unknown>> = {
    'session:subscribe': (socket, payload) => {
      const { session_id, since, resync, patch_mode } = payload as SubscribePayload
      const session = server.sessions.get(session_id)
      if (!session) return failure('session_not_found', 'No such session.')
      const isNew = !session.readers.has(socket)
      session.readers.set(socket, patch_mode ?? 'compat')
      const replayed = (isNew || since != null || resync) && session.catchUp(socket, since ?? null)
      const { run_id, head } = session
      return { status: 'ok', session: session.record(), run_id, event_seq: head, replayed: replayed === true }
    },
    'session:unsubscribe': (socket, { session_id }) => {
      server.sessions.get(String(session_id))?.readers.delete(socket)
      return { status: 'ok' }
    },
    'chat:send': (socket, payload) => {
      const session = server.sessions.get(String(payload['session_id']))
      if (!session) return failure('session_not_found', 'No such session.')
      const known = session.accepted.get(String(payload['client_message_id']))
      if (known) return known
      if (session.run_id && !payload['askuser_answer'])
        return failure('session_busy', 'This session is already running.')
      if (!session.readers.has(socket))
        session.readers.set(socket, String(socket.handshake.auth['patch_mode'] ?? 'compat'))
      const answer = { status: 'ok', session_id: session.id, run_id: session.begin() }
      session.accepted.set(String(payload['client_message_id']), answer)
      const name = payload['askuser_answer'] ? 'answer' : String(payload['message'])
      const script = server.scripts[name] ?? server.scripts['default']
      // The acknowledgement goes first, as the protocol says.
      void setImmediate().then(() => script?.(session, payload as Message))
      return answer
    },
    'chat:stop': (_socket, { session_id }) => {
      const session = server.sessions.get(String(session_id))
      if (!session?.run_id) return { status: 'ok', message: 'not_running' }
      session.stop()
      return { status: 'ok' }
    },
    'chat:compact': () => ({ status: 'ok', message: null, code: null }),
    'chat:append': (_socket, { session_id, message }) => {
      const session = server.sessions.get(String(session_id))
      if (!session?.run_id) return failure('not_running', 'Nothing is running.')
      void session.user(String(message))
      return { status: 'ok' }
    },
  }

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body: unknown = request.headers['content-type']?.includes('json') && text ? JSON.parse(text) : text
    const { method = 'GET', url = '/' } = request
    const { authorization } = request.headers
    server.requests.push({ method, url, authorization, body })
    const { status, body: answer } = await answerTo(method, new URL(url, 'http://x'), { authorization, body })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(answer === undefined ? '' : JSON.stringify(answer))
  }

  const answerTo = (
    method: string,
    url: URL,
    request: { authorization: string | undefined; body: unknown },
  ): Answer | Promise<Answer> => {
    const own = server.routes[`${method} ${url.pathname}`]
    if (own) return own(request)
    if (url.pathname === '/api/version')
      return {
        status: 200,
        body: { version: '1.0.0', min_sdk: '0.0.0', protocol: '1.0', capabilities: server.capabilities },
      }
    if (!server.keys.has(request.authorization?.replace('Bearer ', '') ?? ''))
      return { status: 401, body: { detail: 'Unknown key.', code: 'unauthorized' } }
    if (method === 'POST' && url.pathname === '/api/sessions') {
      const session = server.session()
      session.intent = (request.body as { intent?: string }).intent ?? ''
      return { status: 200, body: { session_id: session.id, ...session.record() } }
    }
    if (method === 'GET' && url.pathname === '/api/sessions') return { status: 200, body: pageOf(server, url) }
    const [, id = '', tail] = /^\/api\/sessions\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
    const session = server.sessions.get(decodeURIComponent(id))
    if (!session) return { status: 404, body: { detail: 'No such session.', code: 'session_not_found' } }
    if (tail === '/messages') return { status: 200, body: session.page(url.searchParams) }
    if (tail === '/tasks') return { status: 200, body: [] }
    if (tail === '/feedback') return { status: 200, body: { items: [] } }
    if (method === 'DELETE') return { status: 200, body: { deleted: server.sessions.delete(session.id) } }
    return { status: 200, body: session.record() }
  }

  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  server.url = `http://127.0.0.1:${(http.address() as { port: number }).port}`
  return server
}

function failure(code: string, message: string) {
  return { status: 'error', code, message }
}

function pageOf({ sessions }: ScriptedServer, { searchParams }: URL) {
  const limit = Number(searchParams.get('limit') ?? 20)
  const offset = Number(searchParams.get('offset') ?? 0)
  const items = [...sessions.values()].map((session) => session.record())
  return {
    items: items.slice(offset, offset + limit),
    total: items.length,
    limit,
    offset,
    content_match_truncated: false,
  }
}
