import type { AgentFailure } from '@parley/protocol/agent-sse'
import { type ErrorCode, isErrorCode } from '@parley/protocol'

type Known = { code: string; recoverable: boolean }

const LLM: Known = { code: 'LLM_API_ERROR', recoverable: false }
const CRASH: Known = { code: 'AGENT_CRASH', recoverable: false }
const DATABASE: Known = { code: 'DATABASE_ERROR', recoverable: false }
const INVALID: Known = { code: 'INVALID_REQUEST', recoverable: false }
const UNAUTHORIZED: Known = { code: 'UNAUTHORIZED', recoverable: false }
const NOT_FOUND: Known = { code: 'NOT_FOUND', recoverable: false }
const UNKNOWN: Known = { code: 'UNKNOWN_ERROR', recoverable: false }

/** [S13] Our codes in the words of this protocol. What is not here is `UNKNOWN_ERROR`. */
const CODES: Partial<Record<ErrorCode, Known>> = {
  llm_error: LLM,
  llm_stream_incomplete: LLM,
  context_overflow: { code: 'CONTEXT_LENGTH_EXCEEDED', recoverable: false },
  tool_error: { code: 'TOOL_EXECUTION_FAILED', recoverable: true },
  recovery_failed: CRASH,
  internal_error: UNKNOWN,
  timeout: { code: 'TIMEOUT', recoverable: true },
  model_not_available: LLM,
  agent_not_available: INVALID,
  rate_limited: { code: 'RATE_LIMIT_EXCEEDED', recoverable: true },
  storage_full: DATABASE,
  storage_locked: DATABASE,
  storage_unavailable: DATABASE,
  unauthorized: UNAUTHORIZED,
  forbidden: UNAUTHORIZED,
  sign_in_unavailable: UNAUTHORIZED,
  not_found: NOT_FOUND,
  session_not_found: NOT_FOUND,
  not_running: NOT_FOUND,
  method_not_allowed: INVALID,
  invalid_payload: INVALID,
  invalid_answer: INVALID,
  payload_too_large: INVALID,
  not_supported: INVALID,
  session_busy: { code: 'SESSION_BUSY', recoverable: true },
  ask_not_pending: { code: 'CONFIRMATION_NOT_FOUND', recoverable: false },
  already_decided: { code: 'CONFIRMATION_NOT_FOUND', recoverable: false },
}

/** Why a model failed, where its wire could tell (`kind` of a failure). */
const KINDS: Record<string, Known> = {
  rate_limit: { code: 'RATE_LIMIT_EXCEEDED', recoverable: true },
  overflow: { code: 'CONTEXT_LENGTH_EXCEEDED', recoverable: false },
  network: { code: 'NETWORK_ERROR', recoverable: true },
  timeout: { code: 'TIMEOUT', recoverable: true },
}

/** A failure as clients of this protocol know it. */
export function agentFailure(code: unknown, message: string, kind?: unknown): AgentFailure {
  const known = (typeof kind === 'string' && KINDS[kind]) || (isErrorCode(code) && CODES[code]) || UNKNOWN
  return { ...known, message }
}
