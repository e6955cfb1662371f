import type { PatchMode } from '@parley/protocol'
import type { FastifyRequest } from 'fastify'
import { readerOf } from '../../http/reader.ts'
import { refusalLog } from '../../http/refusal-log.ts'
import type { Face } from '../face.ts'
import { apiKeyRoutes } from './rest/api-key-routes.ts'
import { authRoutes, signInRoute } from './rest/auth-routes.ts'
import { chatRoutes } from './rest/chat-routes.ts'
import { configRoutes } from './rest/config-routes.ts'
import { confirmationRoutes } from './rest/confirmation-routes.ts'
import { branchRoutes } from './rest/branch-routes.ts'
import { contextRoutes } from './rest/context-routes.ts'
import { inboxRoutes } from './rest/inbox-routes.ts'
import { oidcRoutes } from './rest/oidc-routes.ts'
import { sessionRoutes } from './rest/session-routes.ts'
import { userRoutes } from './rest/user-routes.ts'
import { visitorTokenRoutes } from './rest/visitor-token-routes.ts'
import { openSocketFace } from './socketio/server.ts'

export type NativeOptions = {
  /** How patches go to clients that do not say. Default `compat`. */
  patchMode?: PatchMode
  /** How often an event stream says that it is still there. Default 15 000. */
  heartbeatMs?: number
  /** Connections that may wait to say who they are. Default 256. */
  maxStrangers?: number
}

/** Socket.IO and REST (docs: the wire protocol). */
export function nativeFace({ patchMode = 'compat', heartbeatMs = 15_000, maxStrangers }: NativeOptions = {}): Face {
  return {
    capabilities: ['patch_mode', 'since', 'chat_append', 'rest_chat_stream', 'feedback', 'auth_renew', 'compaction'],
    mount(parts) {
      const { app, auth, openId, config, door, sessions, source, logger } = parts
      const { publicUrl } = config
      const isSecure = publicUrl?.startsWith('https:') ?? false
      const originOf = ({ protocol, host }: FastifyRequest) =>
        publicUrl === undefined ? `${protocol}://${host}` : new URL(publicUrl).origin

      signInRoute(app, { auth, isSecure }, door.admission)
      const tell = refusalLog({ logger, language: config.language, now: () => performance.now() })
      const onRefused = (problem: string) => tell({ what: 'oidc', name: problem })
      if (openId) oidcRoutes(app, { auth, openId, isSecure, originOf, onRefused }, door.admission)
      door.signedIn((scope) => {
        authRoutes(scope, { auth, openId, isSecure, originOf })
        userRoutes(scope, { auth, originOf, forgetUser: parts.forgetUser })
        apiKeyRoutes(scope, auth)
        visitorTokenRoutes(scope, auth)
        configRoutes(scope, parts)
        contextRoutes(scope, parts)
        branchRoutes(scope, parts)
        sessionRoutes(scope, sessions, (request) => source(readerOf(request)).rewording)
        confirmationRoutes(scope, sessions)
        inboxRoutes(scope, parts)
        chatRoutes(scope, { ...parts, patchMode, heartbeatMs })
      })
      const sockets = openSocketFace({ ...parts, patchMode, maxStrangers })
      app.addHook('preClose', async () => sockets[Symbol.dispose]())
    },
  }
}
