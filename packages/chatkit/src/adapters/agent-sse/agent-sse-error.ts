import { chatKitError, type ChatKitError, type ChatKitErrorCode, codeOfStatus } from '../../model/chat-kit-error.ts'
import { asObject, asText, type JsonObject } from '../../stream/parse-json.ts'

const CODES: Record<string, ChatKitErrorCode> = {
  UNAUTHORIZED: 'auth',
  NOT_FOUND: 'not_found',
  CONFIRMATION_NOT_FOUND: 'not_found',
  RESUME_EXPIRED: 'not_found',
  SESSION_BUSY: 'busy',
  RATE_LIMIT_EXCEEDED: 'rate_limited',
  MAX_CONCURRENT_EXCEEDED: 'rate_limited',
  TIMEOUT: 'timeout',
}

/** `{ error: { code, message, recoverable } }` before the stream. */
export function agentSseError(status: number, body: unknown): ChatKitError | undefined {
  const { error } = asObject(body)
  return error ? agentSseFailure(asObject(error), status) : undefined
}

/** The data of an `error` event. */
export function agentSseFailure(data: JsonObject, status = 0): ChatKitError {
  const platformCode = asText(data['code'])
  const code = CODES[platformCode] ?? (status >= 400 ? codeOfStatus(status) : 'server')
  return chatKitError(code, `The agent reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: { error: data },
    retryable: data['recoverable'] === true || code === 'busy' || code === 'rate_limited',
    ...(status > 0 && { status }),
    ...(platformCode && { platformCode }),
  })
}
