import { agentFailure } from '../faces/agent-sse/failures.ts'
import { Refusal } from '../faces/agent-sse/refusal.ts'
import { failureOf } from '../http/failure.ts'
import { isStoreError } from '../store/errors.ts'

export type ChatFailure = { code: string; message: string; recoverable: boolean }

/** Why a message was not accepted, in the words of the protocol: it names no path. `isOurs`: what was thrown belongs into a log. */
export function chatFailure(error: unknown, language: 'zh' | 'en'): ChatFailure & { isOurs: boolean } {
  if (error instanceof Refusal) return { ...error.failure, isOurs: false }
  const reader = { language, audience: 'account' } as const
  const { code, message, isOurs } = failureOf(error, reader)
  // Of an agent that cannot even open its database, the log says why.
  const known = code === 'internal_error' && isStoreError(error) ? 'storage_unavailable' : code
  const { code: said, recoverable } = agentFailure(known, message)
  return { code: said, message, recoverable, isOurs }
}
