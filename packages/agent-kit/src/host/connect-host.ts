import {
  BRIDGE_PROTOCOL,
  type BridgeMeta,
  checkOrigins,
  hostOrigins,
  makeEnvelope,
  readEnvelope,
} from '@parley/protocol/bridge-envelope'
import { onBridgeAction } from '../sessions/bridge-actions.ts'
import { currentSession, onCurrentSession } from '../sessions/shown-sessions.ts'
import { carryOut } from './host-requests.ts'

export type HostOptions = {
  /** Origins of the pages that may embed this one. From others nothing is accepted, and nothing is sent to them. */
  allowedOrigins: readonly string[]
}

export type HostConnection = {
  /** Tells the page around this one something. */
  post: (action: string, payload?: unknown, meta?: BridgeMeta) => void
  disconnect: () => void
}

/**
 * [W14.7] For a page with a chat that runs in an iframe: takes requests of the page around it and passes the agent's
 * bridge actions on. Before this is called, no message is accepted. `ready` is sent once there is a session.
 */
export function connectHost({ allowedOrigins }: HostOptions): HostConnection {
  const origins = checkOrigins(allowedOrigins)
  const host = window.parent
  if (host === window) return { post: () => {}, disconnect: () => {} }
  let heard: string | null = null
  let isReady = false

  const post = (action: string, payload?: unknown, meta: BridgeMeta = {}) => {
    const envelope = makeEnvelope('agent-to-host', { action, payload, meta }, Date.now())
    // Firefox does not name the page around this one.
    const { ancestorOrigins } = window.location as { ancestorOrigins?: DOMStringList }
    for (const origin of hostOrigins(origins, heard, ancestorOrigins?.[0])) host.postMessage(envelope, origin)
  }
  const sayReady = () => {
    if (isReady || currentSession() === null) return
    isReady = true
    post('ready', { protocol: BRIDGE_PROTOCOL })
  }
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (source !== host || !origins.has(origin)) return
    const request = readEnvelope(data, 'host-to-agent')
    if (!request) return
    heard = origin
    if (request.action === 'hello') {
      isReady = false
      return sayReady()
    }
    carryOut(request).catch((error: unknown) => {
      const { code = 'internal_error', message } = error as { code?: string; message: string }
      post('error', { code, message }, request.meta)
    })
  }

  window.addEventListener('message', onMessage)
  const undo = [
    onBridgeAction(({ action, payload, sessionId, toolCallId }) => post(action, payload, { sessionId, toolCallId })),
    onCurrentSession(sayReady),
  ]
  sayReady()
  return {
    post,
    disconnect() {
      window.removeEventListener('message', onMessage)
      for (const stop of undo) stop()
    },
  }
}
