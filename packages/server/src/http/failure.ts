import { AgentError, type ErrorBody, type ErrorCode, isAgentError, type SystemErrorPayload } from '@parley/protocol'
import { ERROR_STATUS } from '@parley/protocol/wire'
import type { FastifyError } from 'fastify'
import { isStoreError } from '../store/errors.ts'
import { storageFailure } from '../store/storage-failure.ts'
import { errorWords } from '../words/error-words.ts'
import { say } from '../words/phrases.ts'
import type { Reader } from '../words/reader.ts'

/** What somebody outside is told about an error, whatever carries it there. */
export type Failure = {
  code: ErrorCode
  /** In their words. */
  message: string
  details: Record<string, unknown> | null
  /** Nothing that they did: it belongs into the log. */
  isOurs: boolean
}

export function failureOf(error: unknown, reader: Reader): Failure {
  const { code, message, details } = agentErrorOf(error)
  return {
    code,
    message: message === 'Not Found' ? message : errorWords(code, message, reader),
    details: details ?? null,
    isOurs: !isAgentError(error) && !isStoreError(error, 'session_gone'),
  }
}

/** Their credential has ended. */
export function expelled({ language }: Reader): Failure {
  return { code: 'unauthorized', message: say('refused.expelled', language), details: null, isOurs: false }
}

/** As the answer to a request. What the framework refuses has a status of its own. */
export function errorAnswer(
  error: FastifyError | AgentError,
  reader: Reader,
): { status: number; body: ErrorBody; isOurs: boolean } {
  const status = isAgentError(error) || storageFailure(error) ? undefined : error.statusCode
  if (status === 503) return { status, body: { detail: error.message }, isOurs: true }
  if (status !== undefined && status < 500) {
    const refused = new AgentError(status === 413 ? 'payload_too_large' : 'invalid_payload', error.message)
    return { status, body: errorBody(failureOf(refused, reader)), isOurs: false }
  }
  const failure = failureOf(error, reader)
  return { status: ERROR_STATUS[failure.code], body: errorBody(failure), isOurs: failure.isOurs }
}

export function errorBody({ code, message, details }: Failure): ErrorBody {
  return { ...details, detail: message, code }
}

/** As an event, for who is connected. */
export function errorEvent({ code, message, details }: Failure, session_id: string | null): SystemErrorPayload {
  const run_id = (details?.['run_id'] as string | undefined) ?? null
  return { session_id, code, message, detail: details, run_id }
}

function agentErrorOf(error: unknown): AgentError {
  if (isAgentError(error)) return error
  if (isStoreError(error, 'session_gone')) return new AgentError('session_not_found', 'There is no such session.')
  return storageFailure(error) ?? new AgentError('internal_error', say('refused.internal', 'en'))
}
