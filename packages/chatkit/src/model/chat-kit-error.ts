export type ChatKitErrorCode =
  | 'empty'
  | 'too_long'
  | 'busy'
  | 'auth'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'network'
  | 'timeout'
  | 'server'
  | 'protocol'
  | 'unsupported'
  | 'aborted'

/** Why a chat cannot be used at all. */
export type FailureReason = 'no_token' | 'token_refused' | 'token_expired' | 'origin_refused' | 'unreachable'

/** How a confirmation was decided, by whom and when (ISO 8601), as far as the platform tells. */
export type Decided = { outcome: 'approved' | 'rejected' | 'expired' | 'withdrawn'; by?: string; at?: string }

/** Check by `code`, not by `instanceof`. The message is for developers and never holds a token or a request body. */
export type ChatKitError = Error & {
  code: ChatKitErrorCode
  /** HTTP. */
  status?: number
  /** The platform's own code. */
  platformCode?: string
  /** The platform's text, present only when it was written for users. */
  userMessage?: string
  /** Finer than the code, where that is known. */
  reason?: FailureReason
  /** For the details line: what the platform's support asks for. */
  requestID?: string
  /** The platform no longer has the conversation: the next message starts a new one. */
  isConversationGone?: boolean
  /** What was answered no longer waits: somebody else answered it, or it was withdrawn. */
  isNotWaiting?: boolean
  /** With it, of a confirmation: what became of it. */
  decision?: Decided
  retryable: boolean
  cause?: unknown
}

export type ChatKitErrorDetails = {
  isConversationGone?: boolean | undefined
  isNotWaiting?: boolean | undefined
  decision?: Decided | undefined
  status?: number | undefined
  platformCode?: string | undefined
  userMessage?: string | undefined
  reason?: FailureReason | undefined
  requestID?: string | undefined
  /** Default: by code. */
  retryable?: boolean
  cause?: unknown
}

const RETRYABLE: ReadonlySet<ChatKitErrorCode> = new Set(['busy', 'rate_limited', 'network', 'timeout', 'server'])

export function chatKitError(
  code: ChatKitErrorCode,
  message: string,
  { cause, retryable = RETRYABLE.has(code), ...details }: ChatKitErrorDetails = {},
): ChatKitError {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause })
  const present = Object.entries(details).filter(([, value]) => value !== undefined)
  return Object.assign(error, { name: 'ChatKitError', code, retryable, ...Object.fromEntries(present) })
}

export function isChatKitError(error: unknown): error is ChatKitError {
  return error instanceof Error && error.name === 'ChatKitError' && 'code' in error
}

/** Anything that was thrown, as an error with a code. A failed `fetch` is a `TypeError` everywhere. */
export function toChatKitError(error: unknown, code: ChatKitErrorCode = 'protocol'): ChatKitError {
  if (isChatKitError(error)) return error
  const { name, message = String(error) } = (error ?? {}) as { name?: string; message?: string }
  if (name === 'AbortError') return chatKitError('aborted', 'The request was aborted.', { cause: error })
  if (name === 'TimeoutError') return chatKitError('timeout', 'The request took too long.', { cause: error })
  return chatKitError(code, message, { cause: error })
}

/** What an HTTP status means when the platform says nothing better. */
export function codeOfStatus(status: number): ChatKitErrorCode {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 409) return 'busy'
  if (status === 429) return 'rate_limited'
  return status === 408 || status === 504 ? 'timeout' : 'server'
}
