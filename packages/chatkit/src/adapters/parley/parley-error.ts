import {
  chatKitError,
  type ChatKitError,
  type ChatKitErrorCode,
  codeOfStatus,
  isChatKitError,
} from '../../model/chat-kit-error.ts'
import { asNumber, asObject, asText } from '../../stream/parse-json.ts'

const CODES: Record<string, ChatKitErrorCode> = {
  unauthorized: 'auth',
  forbidden: 'forbidden',
  session_not_found: 'not_found',
  ask_not_pending: 'not_found',
  already_decided: 'not_found',
  session_busy: 'busy',
  payload_too_large: 'too_long',
  rate_limited: 'rate_limited',
  timeout: 'timeout',
}

export function isParleyAuthError(status: number, error: unknown): boolean {
  return status === 401 || asObject(error)['code'] === 'unauthorized'
}

/** Errors of the client (`AgentError`, `BladeApiError`) and of `chat:end`, by their code. */
export function parleyError(error: unknown): ChatKitError {
  if (isChatKitError(error)) return error
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  const platformCode = asText(code)
  const http = asNumber(status)
  const known = CODES[platformCode] ?? (http === undefined ? 'server' : codeOfStatus(http))
  return chatKitError(known, `The server reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: error,
    ...(http !== undefined && { status: http }),
    ...(platformCode && { platformCode }),
    ...(platformCode === 'session_not_found' && { isConversationGone: true }),
    ...((platformCode === 'ask_not_pending' || platformCode === 'already_decided') && { isNotWaiting: true }),
  })
}
