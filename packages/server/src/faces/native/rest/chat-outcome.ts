import { AgentError, type ChatEndPayload, type ErrorCode, isErrorCode } from '@parley/protocol'
import type { RestChatResult } from '@parley/protocol/rest'
import { answerWith } from './answer-with.ts'

/** How a run ended, with what was told about its failure right before. */
export type ToldEnd = { end: ChatEndPayload; durationMs: number; errors: unknown }

/** [W11.3] The answer to a chat over REST: the result, or the error that its outcome means. */
export function answerOf(
  { session_id, run_id }: { session_id: string; run_id: string },
  { end, durationMs, errors }: ToldEnd,
): RestChatResult {
  const { status, result, finish_reason, usage, cut } = end
  if (status === 'completed')
    return {
      session_id,
      status,
      result,
      finish_reason,
      run_id,
      usage,
      duration_ms: durationMs,
      ...(cut && { cut }),
      ...waiting(end),
    }
  const { code: _code, message: _message, ...more } = end.error ?? {}
  const details = { ...more, session_id, run_id, ...(Array.isArray(errors) && { errors }) }
  if (status === 'interrupted') throw new AgentError('interrupted', 'The run was stopped.', { details })
  throw new AgentError(codeOf(end), end.error?.message ?? 'The run failed.', { details })
}

/** Only a run that goes on after an answer can wait for the next one. */
function waiting(end: ChatEndPayload): Partial<RestChatResult> {
  const { session_status, pause_tool_data } = end
  return pause_tool_data ? { session_status, pause_tool_data, answer_with: answerWith(end) } : {}
}

function codeOf({ error, finish_reason }: ChatEndPayload): ErrorCode {
  if (isErrorCode(error?.code)) return error.code
  return finish_reason === 'tool_error' ? 'tool_error' : 'llm_error'
}
