import { AgentError } from '@parley/protocol'
import type { Logger } from 'pino'
import { type Failure, failureOf } from '../../../http/failure.ts'
import type { Reader } from '../../../words/reader.ts'

/** What a client is told about an error. What is not its business is logged as well. */
export function toldFailure(error: unknown, logger: Logger, reader: Reader): Failure {
  const failure = failureOf(error, reader)
  if (failure.isOurs) logger.error({ err: error }, 'a socket request failed')
  return failure
}

/** The acknowledgement of a request that failed. */
export function refusal({ code, message, details }: Failure): object {
  return { status: 'error', code, message, detail: details }
}

export function notSupported(what: string): AgentError {
  return new AgentError('not_supported', `This server does not support ${what}.`)
}

/** Also for ids that no database takes. */
export function noSuchSession(): AgentError {
  return new AgentError('session_not_found', 'There is no such session.')
}
