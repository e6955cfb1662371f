import {
  chatKitError,
  type ChatKitError,
  type ChatKitErrorCode,
  codeOfStatus,
  isChatKitError,
} from '../../model/chat-kit-error.ts'
import { asNumber, asObject, asText } from '../../stream/parse-json.ts'

/** What we have sentences of our own for. */
const CODES: Record<string, ChatKitErrorCode> = {
  unauthorized: 'auth',
  forbidden: 'forbidden',
  not_found: 'not_found',
  session_not_found: 'not_found',
  ask_not_pending: 'not_found',
  already_decided: 'not_found',
  session_busy: 'busy',
  payload_too_large: 'too_long',
  rate_limited: 'rate_limited',
  timeout: 'timeout',
}
const MAX_SENTENCE = 1000

export function isParleyAuthError(status: number, error: unknown): boolean {
  return status === 401 || asObject(error)['code'] === 'unauthorized'
}

/** Errors of the client (`AgentError`, `ParleyApiError`, a failed `fetch`), by their code. */
export function parleyError(error: unknown): ChatKitError {
  if (isChatKitError(error)) return error
  const { name, code, status, message } = (error ?? {}) as Record<string, unknown>
  if (name === 'TypeError') return chatKitError('network', 'The server could not be reached.', { cause: error })
  const platformCode = asText(code)
  const http = asNumber(status)
  const known = CODES[platformCode] ?? (http === undefined ? 'server' : codeOfStatus(http))
  return chatKitError(known, `The server reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: error,
    ...(http !== undefined && { status: http }),
    ...(platformCode && { platformCode }),
    ...(platformCode && !CODES[platformCode] && sentence(message)),
    ...(platformCode === 'session_not_found' && { isConversationGone: true }),
    ...((platformCode === 'ask_not_pending' || platformCode === 'already_decided') && { isNotWaiting: true }),
  })
}

/** A run has failed. The server words it for whoever reads: the provider's own sentence only for people of the account. */
export function runError(code: string, message = ''): ChatKitError {
  const error = parleyError({ code: code.trim() })
  return Object.assign(error, sentence(message))
}

/** Text from outside: bounded, and none is none. */
function sentence(message: unknown): { userMessage?: string } {
  const text = asText(message).trim()
  return text === '' ? {} : { userMessage: text.length > MAX_SENTENCE ? `${text.slice(0, MAX_SENTENCE)}…` : text }
}
