import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Auth } from '../auth/auth.ts'
import type { Access } from './access.ts'
import { Admission } from './admission.ts'
import { FailureLimit } from './failure-limit.ts'
import { Guests } from './guests.ts'
import { signedInRoutes } from './signed-in.ts'

export type DoorOptions = {
  app: FastifyInstance
  /** The same check that `createApp` got. */
  access: Access
  auth: Auth
  logger: Logger
  /** A clock that cannot be set, in milliseconds. */
  now: () => number
  /** Failed sign-ins an address may have per minute. Default 20. */
  authFailures?: number | undefined
  /** How often credentials ended by other instances are looked for. Default 3 000. */
  recheckMs?: number | undefined
}

/** The one way in, for every face and every feature. It closes with the app. */
export type Door = {
  access: Access
  admission: Admission
  /** Who is connected for longer than a request, so that they go when their credential ends. */
  guests: Guests
  /** The server is shutting down: who waits is sent away, what they wait for goes on. */
  closing: AbortSignal
  /** Adds routes for people who are signed in. */
  signedIn: (routes: (scope: FastifyInstance) => void) => void
}

export function openDoor({ app, access, auth, logger, now, authFailures, recheckMs = 3_000 }: DoorOptions): Door {
  const limit = new FailureLimit({ now, ...(authFailures !== undefined && { failures: authFailures }) })
  const admission = new Admission({ authenticate: (token) => auth.authenticate(token), limit })
  const onError = (error: unknown) => logger.error({ err: error }, 'looking for ended credentials failed')
  const guests = new Guests({ auth, now, recheckMs, onError })
  const findSubject = (account_id: string, subject: string) => auth.findSubject(account_id, subject)
  const closing = new AbortController()
  app.addHook('preClose', async () => {
    closing.abort()
    guests[Symbol.dispose]()
  })
  return {
    access,
    admission,
    guests,
    closing: closing.signal,
    signedIn: (routes) => signedInRoutes(app, { admission, findSubject }, routes),
  }
}
