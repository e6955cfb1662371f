import type { Session } from '@parley/protocol'
import type { Principal } from '../../auth/principal.ts'
import type { Sessions } from '../../sessions/service.ts'

/** [F1.3.1] A session's own id names that session. Any other name is the client's own. */
const isOurs = (sessionId: string) => sessionId.startsWith('sess_')

const named = (id: string) => ({ kind: 'sse', id })

/** The first use of a name makes a session. */
export function openSession(principal: Principal, sessionId: string, sessions: Sessions): Promise<Session> {
  return isOurs(sessionId) ? sessions.get(principal, sessionId) : sessions.create(principal, {}, named(sessionId))
}

/** `undefined` for a name that nobody has used. */
export function findSession(principal: Principal, sessionId: string, sessions: Sessions): Promise<Session | undefined> {
  return isOurs(sessionId) ? sessions.get(principal, sessionId) : sessions.find(principal, named(sessionId))
}
