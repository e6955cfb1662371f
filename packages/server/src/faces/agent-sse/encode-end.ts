import type { ChatEndPayload, ConfirmationCard, Question } from '@parley/protocol'
import type { Language } from '../../words/language.ts'
import { CONFIRMATION_CHECK } from './confirmation-check.ts'
import { confirmResponse, pendingConfirmation } from './confirm-response.ts'
import type { Said } from './events.ts'
import { agentFailure } from './failures.ts'
import { closeIteration, tellIteration } from './iterations.ts'
import type { RunState } from './run-state.ts'

type End = {
  payload: Record<string, unknown>
  at: number
  language: Language
  /** What the user had asked for. */
  request: string
}

/** [S6.1] How a run ends: with exactly one terminal event, and all that must stand before it. */
export function encodeEnd(run: RunState, { payload, at, language, request }: End): Said[] {
  const end = payload as ChatEndPayload
  if (run.messageId === null) return []
  if (run.declined) return declined(run, at)
  if (end.status === 'failed') return [{ type: 'error', data: failureOf(end) }]
  if (end.status === 'interrupted') return cancelled(run, end)
  const asked = end.pause_tool_data?.arguments
  const card = asked?.['confirmation'] as ConfirmationCard | undefined
  if (card)
    return [
      ...closeIteration(run, at),
      ...(run.isContinuation ? [CONFIRMATION_CHECK] : []),
      {
        type: 'confirmation_required',
        data: { ...confirmResponse(card, language), pendingConfirmation: pendingConfirmation(card, request, at) },
      },
    ]
  if (asked) return questioned(run, at, asked['questions'] as Question[])
  if (end.finish_reason === 'max_turns') return limited(run, at)
  return answered(run, at, end)
}

function answered(run: RunState, at: number, { cut }: ChatEndPayload): Said[] {
  return [
    ...tellIteration(run),
    { type: 'content_chunk', data: { content: '', isComplete: true } },
    { type: 'decision', data: { reason: 'Task completed successfully', completed: true } },
    ...closeIteration(run, at),
    completed(run, at, cut),
  ]
}

function limited(run: RunState, at: number): Said[] {
  const { iterations } = run
  return [
    { type: 'decision', data: { reason: `Reached maximum iteration limit (${run.maxIterations})`, completed: false } },
    { type: 'max_iterations', data: { iterations, ...partial(run) } },
    completed(run, at),
  ]
}

/** This protocol has no questions but for consent: one that came over another is shown as what it says. */
function questioned(run: RunState, at: number, questions: readonly Question[]): Said[] {
  const content = questions.map(({ question }) => question).join('\n')
  return [
    ...tellIteration(run),
    { type: 'content_chunk', data: { content, isComplete: true } },
    { type: 'decision', data: { reason: 'Waiting for an answer', completed: false } },
    ...closeIteration(run, at),
    completed(run, at),
  ]
}

const DECLINED = { rejected: 'Operation was rejected by user', expired: 'Confirmation expired' }

/** [ST4] */
function declined(run: RunState, at: number): Said[] {
  return [
    { type: 'content_chunk', data: { content: run.text, isComplete: true } },
    { type: 'decision', data: { reason: DECLINED[run.declined ?? 'rejected'], completed: false } },
    completed(run, at),
  ]
}

/** A time limit is never called a person's doing. */
function cancelled(run: RunState, { stopped_by }: ChatEndPayload): Said[] {
  const isLate = stopped_by === 'timeout'
  const reason = isLate ? 'Operation timed out' : 'Operation was cancelled by user'
  return [
    { type: 'decision', data: { reason, completed: false } },
    { type: 'cancelled', data: { reason: isLate ? 'timeout' : 'user_cancelled', ...partial(run) } },
  ]
}

function completed(run: RunState, at: number, cut?: 'length'): Said {
  const { messageId, startedAt, iterations, toolCalls } = run
  const data = { messageId: messageId ?? '', totalDuration: at - startedAt, iterations, toolCalls }
  return { type: 'completed', data: { ...data, ...(cut && { cut }) } }
}

function failureOf({ error }: ChatEndPayload) {
  const { code, message = '', kind } = { ...error } as { code?: string; message?: string; kind?: unknown }
  return agentFailure(code, message, kind)
}

function partial({ text }: RunState): { partialContent?: string } {
  return text === '' ? {} : { partialContent: text }
}
