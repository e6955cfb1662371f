import { skillsApi } from '../app/api-shortcuts.ts'
import { currentSession } from '../sessions/shown-sessions.ts'
import { useUiBridgeStore } from '../sessions/ui-bridge-store.ts'
import type { BridgeMeta } from '@parley/protocol/bridge-envelope'
import { asRecord } from './as-record.ts'

export class HostRequestError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Request = { action: string; payload: unknown; meta: BridgeMeta }
type Handler = (sessionId: string, payload: unknown) => unknown

/** [W14.7] What the page around the chat may ask for. */
const HANDLERS: Record<string, Handler> = {
  addContext(sessionId, payload) {
    const { label, content } = asRecord(payload) ?? {}
    if (typeof label !== 'string' || content === undefined) throw invalid('addContext takes { label, content }.')
    useUiBridgeStore.getState().addPendingContext(sessionId, { label, content: asText(content) })
  },
  appendInput(sessionId, payload) {
    const text = textOf(payload)
    if (text === undefined) throw invalid('appendInput takes { text } or a string.')
    useUiBridgeStore.getState().addDraftAppend(sessionId, text)
  },
  sendMessage(sessionId, payload) {
    const text = textOf(payload)
    const mode = asRecord(payload)?.['mode']
    if (payload !== undefined && payload !== null && text === undefined)
      throw invalid('sendMessage takes { text, mode? }, a string, or nothing for the draft.')
    useUiBridgeStore.getState().addSendRequest(sessionId, {
      ...(text !== undefined && { text }),
      ...((mode === 'planning' || mode === 'executing') && { mode }),
    })
  },
  uploadSessionSkill(sessionId, payload) {
    const { name, files } = asRecord(payload) ?? {}
    if (typeof name !== 'string' || !Array.isArray(files)) throw invalid('uploadSessionSkill takes { name, files }.')
    return skillsApi.uploadSessionSkill(sessionId, { name, files: files as { path: string; content: string }[] })
  },
}

/** Does what was asked, in the session it names, else in the one that is shown. */
export async function carryOut({ action, payload, meta }: Request): Promise<void> {
  const handler = Object.hasOwn(HANDLERS, action) ? HANDLERS[action] : undefined
  if (!handler) throw invalid(`There is no action "${action}"; these are: ${Object.keys(HANDLERS).join(', ')}.`)
  const sessionId = typeof meta.sessionId === 'string' ? meta.sessionId : currentSession()
  if (!sessionId) throw new HostRequestError('session_not_found', 'No session is shown. Wait for "ready".')
  await handler(sessionId, payload)
}

function textOf(payload: unknown): string | undefined {
  const text = typeof payload === 'string' ? payload : asRecord(payload)?.['text']
  return typeof text === 'string' ? text : undefined
}

function asText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2)
}

function invalid(message: string): HostRequestError {
  return new HostRequestError('invalid_payload', message)
}
