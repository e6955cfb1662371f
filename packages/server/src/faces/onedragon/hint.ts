import type { ChatEndPayload } from '@parley/protocol'

/** `error` frames: a sentence for people with its status, and the code where one is known ([O11.2]). */
export type Hint = { hint: string; code?: string }

export const INTERNAL: Hint = { hint: 'Internal Server Error(500)' }
export const STOPPING: Hint = { hint: 'Service Unavailable(503)' }
export const EXPELLED: Hint = { hint: 'Unauthorized(401)', code: 'unauthorized' }

/** Why a run failed. Never what a provider, a tool or an exception said. */
export function hintOf(error: ChatEndPayload['error']): Hint {
  const { code = '', kind = '' }: { code?: string; kind?: unknown } = error ?? {}
  const hint = KINDS[String(kind)] ?? HINTS[code]
  return hint === undefined ? INTERNAL : { hint, code }
}

/** Why a model failed, where its wire could tell. */
const KINDS: Readonly<Record<string, string>> = {
  rate_limit: 'Model rate limit reached(429)',
  timeout: 'Model timed out(504)',
}

const HINTS: Readonly<Record<string, string>> = {
  llm_error: 'Model request failed(502)',
  llm_stream_incomplete: 'Model request failed(502)',
  context_overflow: 'The conversation is too long for the model(502)',
  model_not_available: 'Model not available(422)',
  agent_not_available: 'Agent not available(422)',
  tool_error: 'A tool failed(502)',
  recovery_failed: 'The run could not be resumed(500)',
}
