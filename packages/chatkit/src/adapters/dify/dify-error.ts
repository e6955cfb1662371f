import { chatKitError, type ChatKitError, type ChatKitErrorCode, codeOfStatus } from '../../model/chat-kit-error.ts'
import { asNumber, asObject, asText } from '../../stream/parse-json.ts'

const CODES: Record<string, ChatKitErrorCode> = {
  unauthorized: 'auth',
  not_found: 'not_found',
  conversation_completed: 'not_found',
  too_many_requests: 'rate_limited',
  rate_limit_error: 'rate_limited',
}

const NOT_RETRYABLE: ReadonlySet<string> = new Set([
  'invalid_param',
  'app_unavailable',
  'not_chat_app',
  'provider_not_initialize',
  'provider_quota_exceeded',
  'model_currently_not_support',
  'agent_not_published',
])

export function isDifyAuthError(status: number, body: unknown): boolean {
  return status === 401 || asObject(body)['code'] === 'unauthorized'
}

/** `{ code, message, status }`, as a body before the stream or as a frame in it. */
export function difyError(status: number, body: unknown): ChatKitError | undefined {
  const { code, status: own } = asObject(body)
  const platformCode = asText(code)
  const known = status > 0 ? status : (asNumber(own) ?? 0)
  if (known < 400 && platformCode === '') return undefined
  const mapped = CODES[platformCode] ?? codeByStatus(known, platformCode)
  return chatKitError(mapped, `Dify reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: body,
    retryable: platformCode === 'completion_request_error' || isRetryable(mapped, known, platformCode),
    ...(known > 0 && { status: known }),
    ...(platformCode && { platformCode }),
    ...(mapped === 'not_found' && { isConversationGone: true }),
  })
}

function codeByStatus(status: number, platformCode: string): ChatKitErrorCode {
  if (NOT_RETRYABLE.has(platformCode)) return 'server'
  return status > 0 ? codeOfStatus(status) : 'server'
}

function isRetryable(code: ChatKitErrorCode, status: number, platformCode: string): boolean {
  if (NOT_RETRYABLE.has(platformCode) || code === 'auth' || code === 'forbidden') return false
  return code === 'rate_limited' || code === 'not_found' || status >= 500
}
