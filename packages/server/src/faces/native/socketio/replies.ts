import { AgentError, type ErrorCode, isAgentError } from '@parley/protocol'
import type { Logger } from 'pino'
import { isStoreError } from '../../../store/errors.ts'
import { storageFailure } from '../../../store/storage-failure.ts'
import { errorWords } from '../../../words/error-words.ts'
import type { Reader } from '../../../words/reader.ts'

export type Failure = { code: ErrorCode; message: string; detail: Record<string, unknown> | null }

/** What a client is told about an error. What is not its business is logged instead. */
export function failureOf(error: unknown, logger: Logger, reader: Reader): Failure {
  const failure = plainFailure(error, logger)
  return { ...failure, message: errorWords(failure.code, failure.message, reader) }
}

function plainFailure(error: unknown, logger: Logger): Failure {
  if (isAgentError(error)) return { code: error.code, message: error.message, detail: error.details ?? null }
  if (isStoreError(error, 'session_gone'))
    return { code: 'session_not_found', message: 'There is no such session.', detail: null }
  logger.error({ err: error }, 'a socket request failed')
  const failure = storageFailure(error)
  if (failure) return { code: failure.code, message: failure.message, detail: null }
  return {
    code: 'internal_error',
    message: 'Something went wrong on our side. The server log has the details.',
    detail: null,
  }
}

export function notSupported(what: string): AgentError {
  return new AgentError('not_supported', `This server does not support ${what}.`)
}
