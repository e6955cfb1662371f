import type { Clock, FailureKind, Model, ModelEvent, ModelFailure, ModelRequest, Usage } from '../ports.ts'

/** `advice`: where to look, by the kind of failure; closes the message of a call that brought nothing. */
export type NamedModel = { id: string; model: Model; advice?: Partial<Record<FailureKind, string>> }

export type RetryOptions = {
  /** Asked once, when every attempt of the first model failed. */
  fallback?: NamedModel
  sleep: Clock['sleep']
  /** Between 0 and 1; spreads the attempts of many sessions. */
  random: () => number
  /** Default 3. */
  maxRetries?: number
  /** The first pause; each one is twice the one before. Default 500. */
  baseDelayMs?: number
  /** Default 8000. */
  maxDelayMs?: number
  /** Of every call that failed: why, and who is asked next, if anybody. */
  onFailure?: (failure: ModelFailure, next: { model: string; delayMs: number } | null) => void
  /** A provider that asks for more than this is not waited for: the fallback answers, or the call fails. Default 60000. */
  maxRetryAfterMs?: number
}

/**
 * A model that asks again. Only a call of which nothing was shown is repeated, so `accepted` is held back until the
 * first output: an answer that breaks off, or ends, before it counts as refused.
 */
export function withRetries(first: NamedModel, options: RetryOptions): Model {
  const { onFailure = NOBODY } = options
  return {
    async *stream(request) {
      const { signal } = request
      for (let attempt = 1; ; attempt++) {
        const failed = yield* oneCall(first, request, onFailure)
        if (!failed || signal.aborted) return
        const { failure } = failed
        const delayMs = delayAfter(attempt, failure, options)
        if (delayMs === null) return yield* lastResort({ failed, attempt }, request, options)
        onFailure(failure, { model: first.id, delayMs })
        yield { type: 'retry', attempt, delayMs, failure, model: first.id }
        await options.sleep(delayMs, signal)
        if (signal.aborted) return
      }
    },
  }
}

type OnFailure = NonNullable<RetryOptions['onFailure']>
const NOBODY: OnFailure = () => {}

type Failed = ModelEvent & { type: 'failed' }

/** Passes one call on. Returns how it failed if nothing of it was passed on, so that the caller may try again. */
async function* oneCall(
  { id, model, advice = {} }: NamedModel,
  request: ModelRequest,
  onFailure: OnFailure,
): AsyncGenerator<ModelEvent, Failed | null> {
  let held: ModelEvent | null = null
  let isShown = false
  for await (const event of model.stream(request)) {
    if (isShown) {
      if (event.type === 'failed') onFailure(event.failure, null)
      yield event
      continue
    }
    if (event.type === 'accepted') {
      held = event
      continue
    }
    if (event.type === 'failed') return { ...event, failure: { ...advised(event.failure, advice), incomplete: false } }
    if (event.type === 'finish' && isEmpty(event)) return emptyAnswer(id, event.usage)
    if (held) yield held
    isShown = true
    yield event
  }
  return null
}

function advised(failure: ModelFailure, advice: NonNullable<NamedModel['advice']>): ModelFailure {
  const where = advice[failure.kind]
  if (where === undefined) return failure
  const sentence = /[.?!]$/.test(failure.message) ? failure.message : `${failure.message}.`
  return { ...failure, message: `${sentence} ${where}` }
}

/** An answer of nothing but a refusal, or one that used up its tokens unseen, would be the same again. */
function isEmpty({ reason }: ModelEvent & { type: 'finish' }): boolean {
  return reason === 'stop' || reason === 'tool_calls'
}

function emptyAnswer(id: string, usage: Usage | null): Failed {
  const message = `${id}: the model returned an empty answer.`
  return { type: 'failed', failure: { kind: 'server', message, incomplete: false }, usage }
}

async function* lastResort(
  { failed, attempt }: { failed: Failed; attempt: number },
  request: ModelRequest,
  { fallback, onFailure = NOBODY }: RetryOptions,
): AsyncGenerator<ModelEvent, void> {
  const { failure } = failed
  if (!fallback || !FALLBACK_HELPS.has(failure.kind)) {
    onFailure(failure, null)
    return yield failed
  }
  onFailure(failure, { model: fallback.id, delayMs: 0 })
  yield { type: 'retry', attempt, delayMs: 0, failure, model: fallback.id }
  const last = yield* oneCall(fallback, request, onFailure)
  if (!last) return
  onFailure(last.failure, null)
  yield last
}

const RETRYABLE: ReadonlySet<FailureKind> = new Set(['rate_limit', 'network', 'timeout', 'server'])
/** A revoked key is nothing to wait for, but another provider may still answer. */
const FALLBACK_HELPS: ReadonlySet<FailureKind> = new Set([...RETRYABLE, 'auth'])

/** How long to wait before asking again; `null`: do not. */
function delayAfter(attempt: number, failure: ModelFailure, options: RetryOptions): number | null {
  const { random, maxRetries = 3, baseDelayMs = 500, maxDelayMs = 8000, maxRetryAfterMs = 60_000 } = options
  if (!RETRYABLE.has(failure.kind) || attempt > maxRetries) return null
  const backOffMs = Math.round(Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)) * (0.5 + random() / 2))
  const askedMs = failure.retryAfterMs ?? 0
  return askedMs > maxRetryAfterMs ? null : Math.max(askedMs, backOffMs)
}
