import { type AnswerLimits, AnswerMeter } from '../models/answer-meter.ts'
import { failureOf } from '../models/failure.ts'
import { gathered } from '../models/gathered.ts'
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../ports.ts'
import type { GivenModel } from './in-process.ts'

/** What it throws is a failure, so is its silence, and its answer has a length. */
export function guardedModel(id: string, { model, patienceMs }: GivenModel, limits: AnswerLimits): Model {
  return { stream: (request) => gathered(answerOf(request), request) }

  async function* answerOf({ pace: _pace, ...request }: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request
    const given = new AbortController()
    const answer = model.stream({ ...request, signal: AbortSignal.any([signal, given.signal]) })
    const events = answer[Symbol.asyncIterator]()
    const meter = new AnswerMeter(limits)
    let isAccepted = false
    try {
      while (!meter.isFull) {
        const next = await within(patienceMs, signal, events.next())
        if (next === 'aborted') return
        if (next === 'late') return yield failed(silence(id, patienceMs, isAccepted))
        if (next.done) return
        isAccepted ||= next.value.type === 'accepted'
        yield* fitting(next.value, meter)
      }
      yield { type: 'finish', reason: 'length', usage: null }
    } catch (error) {
      if (!signal.aborted) yield failed(failureIn(id, error, isAccepted))
    } finally {
      given.abort()
      // It may never settle: what is left of it is nobody's business.
      void events.return?.()?.catch(() => undefined)
    }
  }
}

async function within<T>(ms: number, signal: AbortSignal, work: Promise<T>): Promise<T | 'late' | 'aborted'> {
  const other = Promise.withResolvers<'late' | 'aborted'>()
  const timer = setTimeout(() => other.resolve('late'), ms)
  const abort = () => other.resolve('aborted')
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, other.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    work.catch(() => undefined)
  }
}

function* fitting(event: ModelEvent, meter: AnswerMeter): Generator<ModelEvent> {
  if (event.type === 'text' || event.type === 'thinking') {
    const delta = meter.fitting(event.delta)
    if (delta !== '') yield { ...event, delta }
    return
  }
  if (event.type === 'tool_call') {
    const { length } = event.call.arguments
    meter.call()
    meter.arguments(length, length)
  }
  if (!meter.isFull) yield event
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure, usage: null }
}

function silence(id: string, ms: number, incomplete: boolean): ModelFailure {
  return { kind: 'timeout', message: `${id}: nothing came for ${ms} ms.`, incomplete }
}

/** `status`, as clients of providers put it on what they throw, tells most. */
function failureIn(model: string, error: unknown, incomplete: boolean): ModelFailure {
  const { status, message, headers } = (error ?? {}) as { status?: unknown; message?: unknown; headers?: unknown }
  const known = typeof status === 'number' ? { status } : {}
  const body = { error: { message: typeof message === 'string' ? message : 'it failed without saying why' } }
  const said = headers instanceof Headers ? { headers: Object.fromEntries(headers) } : {}
  return failureOf({ model, ...known, body, ...said, incomplete })
}
