import type { ChatEndPayload, PatchMode } from '@parley/protocol'
import type { ServerConfig } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Auth } from '../../auth/auth.ts'
import type { Access } from '../../http/access.ts'
import { Admission } from '../../http/admission.ts'
import { FailureLimit } from '../../http/failure-limit.ts'
import { readerOf } from '../../http/reader.ts'
import type { Sessions } from '../../sessions/service.ts'
import type { Journal } from '../../store/journal.ts'
import type { Language } from '../../words/language.ts'
import type { ToolNames } from '../../words/rewording.ts'
import { feedSources } from '../../feed/feed-sources.ts'
import { Guests } from '../../http/guests.ts'
import { apiKeyRoutes } from './rest/api-key-routes.ts'
import { authRoutes, signInRoute } from './rest/auth-routes.ts'
import { chatRoutes } from './rest/chat-routes.ts'
import { confirmationRoutes } from './rest/confirmation-routes.ts'
import { configRoutes, type ModelList } from './rest/config-routes.ts'
import { signedInRoutes } from '../../http/signed-in.ts'
import { sessionRoutes } from './rest/session-routes.ts'
import { visitorTokenRoutes } from './rest/visitor-token-routes.ts'
import { openSocketFace } from './socketio/server.ts'

export type NativeFaceOptions = {
  app: FastifyInstance
  logger: Logger
  /** The same check that `createApp` got. */
  access: Access
  auth: Auth
  sessions: Sessions
  journal: Journal
  /** The stored `chat:end` of a run that has ended, else `null`. */
  outcomeOf: (run_id: string) => Promise<ChatEndPayload | null>
  /** What tools are called, for people. */
  toolNames: ToolNames
  /** For readers that ask for no other. */
  language: Language
  models: ModelList
  config: ServerConfig
  /** Routes of single features, for people who are signed in. */
  features?: readonly ((scope: FastifyInstance) => void)[]
  /** A clock that cannot be set, in milliseconds. */
  now: () => number
  /** People reach this server over https. */
  isSecure: boolean
  /** Default 10 000. */
  maxSockets?: number
  /** Default 256. */
  maxStrangers?: number
  /** How patches go to clients that do not say. Default `compat`. */
  patchMode?: PatchMode
  /** How often credentials ended by other instances are looked for. Default 3 000. */
  recheckMs?: number
  /** Default 15 000. */
  heartbeatMs?: number
  /** Failed sign-ins an address may have per minute. Default 20. */
  authFailures?: number
}

/** What this face can do beyond the origin's protocol, for `GET /api/version`. */
export const NATIVE_CAPABILITIES = ['patch_mode', 'since', 'chat_append', 'rest_chat_stream', 'feedback', 'auth_renew']

/**
 * Socket.IO and REST, mounted on the app. They end with it: closing the app closes sockets and sends waiting callers
 * away. `admission` is the door that other routes have to use as well.
 */
export function nativeFace(options: NativeFaceOptions): { admission: Admission } {
  const { app, auth, logger, sessions, journal, outcomeOf, now, isSecure } = options
  const { patchMode = 'compat', heartbeatMs = 15_000, maxSockets = 10_000, recheckMs = 3_000 } = options
  const limit = new FailureLimit({ now, ...(options.authFailures !== undefined && { failures: options.authFailures }) })
  const admission = new Admission({ authenticate: (token) => auth.authenticate(token), limit })
  const source = feedSources({ journal, outcomeOf, now, toolNames: options.toolNames })
  const closing = new AbortController()
  const onError = (error: unknown) => logger.error({ err: error }, 'looking for ended credentials failed')
  const guests = new Guests({ auth, now, recheckMs, onError })
  const findSubject = (account_id: string, subject: string) => auth.findSubject(account_id, subject)

  signInRoute(app, { auth, isSecure }, admission)
  signedInRoutes(app, { admission, findSubject }, (scope) => {
    authRoutes(scope, { auth, isSecure })
    apiKeyRoutes(scope, auth)
    visitorTokenRoutes(scope, auth)
    configRoutes(scope, options.models, options.config)
    sessionRoutes(scope, sessions, (request) => source(readerOf(request)).rewording)
    confirmationRoutes(scope, sessions)
    for (const routes of options.features ?? []) routes(scope)
    chatRoutes(scope, { sessions, source, guests, patchMode, heartbeatMs, logger, closing: closing.signal })
  })
  const sockets = openSocketFace({ ...options, http: app.server, admission, source, guests, patchMode, maxSockets })
  app.addHook('preClose', async () => {
    closing.abort()
    guests[Symbol.dispose]()
    sockets[Symbol.dispose]()
  })
  return { admission }
}
