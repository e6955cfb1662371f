/** Every error code of the protocol with its HTTP status. Codes are stable; messages are for people and may change. */
export const ERROR_STATUS = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  session_not_found: 404,
  invalid_payload: 422,
  invalid_path: 400,
  payload_too_large: 413,
  session_busy: 409,
  not_running: 409,
  interrupted: 409,
  ask_not_pending: 409,
  invalid_answer: 422,
  confirmation_required: 409,
  already_decided: 409,
  already_exists: 409,
  recovery_failed: 500,
  model_not_available: 422,
  agent_not_available: 422,
  output_schema_invalid: 422,
  output_schema_unsatisfied: 422,
  llm_error: 502,
  llm_stream_incomplete: 502,
  context_overflow: 502,
  tool_error: 502,
  compaction_not_needed: 422,
  compaction_failed: 502,
  rate_limited: 429,
  timeout: 504,
  storage_full: 507,
  storage_locked: 503,
  storage_unavailable: 503,
  sign_in_unavailable: 503,
  method_not_allowed: 405,
  not_supported: 501,
  internal_error: 500,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof ERROR_STATUS

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_STATUS, value)
}

/**
 * An expected failure. `message` says what happened, to what, and what to do next; `details` travels on the wire, the
 * stack and the `cause` never do.
 */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | null

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.details = options.details ?? null
  }
}

/** Tells by code, not by class: two copies of this package agree. With `code`, only that one matches. */
export function isAgentError(error: unknown, code?: ErrorCode): error is AgentError {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false
  return code === undefined ? isErrorCode(error.code) : error.code === code
}
