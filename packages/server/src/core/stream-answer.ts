import type { ErrorCode } from '@parley/protocol'
import type {
  AnswerPart,
  JsonObject,
  ModelEvent,
  ModelFailure,
  ModelInput,
  ModelToolCall,
  ToolSpec,
  Usage,
} from '../ports.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, RunError } from './loop-events.ts'
import type { LoopState } from './loop-state.ts'
import { offeredTools } from './offer.ts'

export type Answer =
  /** `isCut`: it reached a limit of its length, so its calls, which may be incomplete, are left out. */
  | { status: 'complete'; turn_id: string; parts: AnswerPart[]; usage: Usage | null; isCut: boolean }
  /** Broken off by a stop or a failure; `turn_id` is null when the turn never began. */
  | { status: 'interrupted'; turn_id: string | null; parts: AnswerPart[]; usage: Usage | null }
  | { status: 'failed'; turn_id: string | null; parts: AnswerPart[]; usage: Usage | null; error: RunError }

/** One model call, streamed. The turn is announced once the provider has accepted; a call refused before leaves none. */
export async function* streamAnswer(
  loop: LoopState,
  env: LoopEnv,
  tools: readonly ToolSpec[] = offeredTools(loop, env),
): AsyncGenerator<LoopEvent, Answer> {
  const request = yield* prepareCall(loop, env, tools)
  const parts: AnswerPart[] = []
  let turn_id: string | null = null
  let usage: Usage | null = null
  let isPartOpen = false

  const { signal, pace } = env
  for await (const event of modelOf(loop, env).model.stream({ ...request, ...(pace && { pace }), signal })) {
    if (signal.aborted) break
    switch (event.type) {
      case 'retry':
        yield { ...event, type: 'model:retry' }
        break
      case 'accepted': {
        turn_id = env.ids.next('turn')
        const { loop_id, parent_fork_tool_call_id } = loop
        yield { type: 'turn:start', turn_id, loop_id, parent_fork_tool_call_id, model: event.model }
        break
      }
      case 'text':
      case 'thinking': {
        const last = parts.at(-1)
        const isNewBlock = !isPartOpen || last?.type !== event.type
        if (isNewBlock) parts.push({ type: event.type, text: event.delta })
        else if (last && 'text' in last) last.text += event.delta
        isPartOpen = true
        yield { type: 'text', turn_id: turn_id!, block: event.type, delta: event.delta, isNewBlock }
        break
      }
      case 'part_end': {
        const last = parts.at(-1)
        if (isPartOpen && last && event.metadata) last.metadata = event.metadata
        // A redacted thought has no text of its own, yet must go back.
        else if (event.metadata) parts.push({ type: event.part, text: '', metadata: event.metadata })
        isPartOpen = false
        break
      }
      case 'tool_call':
        parts.push(toolCallPart(event.call, event.metadata))
        isPartOpen = false
        break
      case 'finish':
        return event.reason === 'refused' && parts.length === 0
          ? {
              status: 'failed',
              turn_id,
              parts,
              usage: event.usage,
              error: { code: 'llm_error', message: 'The model refused to answer.' },
            }
          : complete(turn_id!, parts, measure(event, loop))
      case 'failed':
        usage = event.usage
        return { status: 'failed', turn_id, parts: withoutCalls(parts), usage, error: runError(event.failure) }
      default:
        event satisfies never
    }
  }
  if (env.signal.aborted) return { status: 'interrupted', turn_id, parts: withoutCalls(parts), usage }
  const error: RunError = { code: 'llm_stream_incomplete', message: 'The model’s answer broke off without an end.' }
  return { status: 'failed', turn_id, parts: withoutCalls(parts), usage, error }
}

/** C2a, then what the model gets, which goes on record before anything of its answer does. */
async function* prepareCall(
  loop: LoopState,
  env: LoopEnv,
  tools: readonly ToolSpec[],
): AsyncGenerator<LoopEvent, ModelInput> {
  const { loop_id } = loop
  if (loop.isIntended) loop.isIntended = false
  else {
    yield { type: 'model:call', loop_id }
    loop.used += 1
  }
  // Only now: what is on record before the call is part of it, what comes later is not; a restart reads it the same way.
  if (loop.depth === 0) loop.messages.push(...env.inbox.takeMessages())
  const input = await env.context.assemble({
    messages: loop.messages,
    tools,
    ...(mustCall(loop, env) && { toolChoice: 'required' }),
  })
  yield { type: 'model:input', loop_id, model: modelOf(loop, env).id, input }
  return input
}

/** A sub-agent's own, or the run's. */
export function modelOf({ model }: LoopState, env: LoopEnv): LoopEnv['model'] {
  return (model === null ? undefined : env.findModel(model)) ?? env.model
}

/** After a misfit the model must hand in its result instead of talking about it. */
function mustCall(loop: LoopState, env: LoopEnv): boolean {
  return env.output !== null && loop.depth === 0 && loop.misfits > 0
}

/** What the provider has counted: all that it was given, and its answer, which will be the next message. */
function measure<Finish extends ModelEvent & { type: 'finish' }>(event: Finish, loop: LoopState): Finish {
  const { usage } = event
  if (usage && event.reason !== 'length')
    loop.measured = { tokens: usage.input_tokens + usage.output_tokens, messages: loop.messages.length + 1 }
  return event
}

function toolCallPart(call: ModelToolCall, metadata: JsonObject | undefined): AnswerPart {
  return { type: 'tool_call', ...call, ...(metadata && { metadata }) }
}

function complete(turn_id: string, parts: AnswerPart[], { reason, usage }: ModelEvent & { type: 'finish' }): Answer {
  if (reason !== 'length') return { status: 'complete', turn_id, parts, usage, isCut: false }
  // Without what belongs to the parts that are gone: a provider that finds half of it refuses the conversation.
  const said = parts.flatMap((part) => (part.type === 'text' ? [{ type: part.type, text: part.text }] : []))
  return { status: 'complete', turn_id, parts: said, usage, isCut: true }
}

/** Calls of a broken answer were never announced and never run; thinking without its signature is refused by providers. */
export function withoutCalls(parts: AnswerPart[]): AnswerPart[] {
  return parts.filter((part) => part.type === 'text')
}

const CODES: Partial<Record<ModelFailure['kind'], ErrorCode>> = { overflow: 'context_overflow' }

function runError({ kind, message, incomplete, isTimeout, contextWindow }: ModelFailure): RunError {
  const details = { kind: isTimeout ? 'timeout' : kind, ...(contextWindow && { context_window: contextWindow }) }
  return { code: CODES[kind] ?? (incomplete ? 'llm_stream_incomplete' : 'llm_error'), message, details }
}
