/** What the scripted server does when a client asks for something over the socket. */
import { setImmediate } from 'node:timers/promises'
import type { CommandName, SubscribePayload } from '@parley/protocol'
import type { Socket } from 'socket.io'
import type { Message, ScriptedServer } from './scripted-server.ts'

type Handler = (socket: Socket, payload: Record<string, unknown>) => Record<string, unknown>

export function scriptedCommands(server: ScriptedServer): Record<CommandName, Handler> {
  return {
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
}

export function failure(code: string, message: string) {
  return { status: 'error', code, message }
}
