import {
  isSpecialTool,
  parseArguments,
  type PatchEnvelope,
  ROOT_LOOP,
  type Source,
  textOf,
  type ToolCallProjection,
  type TurnProjection,
} from '@parley/protocol'
import { readStored } from '../../store/stored-json.ts'
import type { StoredEvent } from '../../store/work.ts'
import type { Language } from '../../words/language.ts'
import { CONFIRMATION_CHECK } from './confirmation-check.ts'
import { encodeEnd } from './encode-end.ts'
import type { Said } from './events.ts'
import { beginIteration, closeIteration, cutIteration, tellIteration } from './iterations.ts'
import { newRun, type RunState } from './run-state.ts'
import { endCall, startCall } from './tool-calls.ts'

export type EntryOptions = {
  language: Language
  /** Of runs that were asked for over another protocol. */
  maxIterations: number
}

/**
 * [S6] What clients are told of one entry of the journal. Depends on the entries before it in its run alone, and on
 * `learn`; no clock, no chance, so that any instance tells the same.
 */
export class RunTeller {
  #run: RunState | null = null
  readonly #options: EntryOptions
  /** The turn that a run goes on with was told by an earlier run. */
  readonly #known = new Map<string, TurnProjection>()
  #request: string | undefined

  constructor(options: EntryOptions) {
    this.#options = options
  }

  /** The turn that must be known before this entry can be told. */
  missing({ turn_id, loop_id, type }: StoredEvent): string | undefined {
    if (!this.#run?.isContinuation || turn_id === null || loop_id !== ROOT_LOOP) return undefined
    if (type !== 'turn:patch' && type !== 'run:tool_claim') return undefined
    return this.#run.turns.has(turn_id) || this.#known.has(turn_id) ? undefined : turn_id
  }

  /** `request`: what the user had asked for, where that is not in this run. */
  learn(turn_id: string, turn: TurnProjection | undefined, request: string | undefined): void {
    if (turn) this.#known.set(turn_id, turn)
    this.#request = request
    for (const call of turn?.tool_calls ?? []) this.#learnCall(call)
  }

  tell(event: StoredEvent): Said[] {
    const payload = readStored(event.data) as Record<string, unknown> | undefined
    if (!payload) return []
    if (event.type === 'chat:start') {
      this.#run = newRun(event.run_id ?? '', this.#options.maxIterations)
      this.#known.clear()
      return []
    }
    const run = this.#run
    if (!run || event.run_id !== run.run_id) return []
    return this.#tellOf(run, event, payload)
  }

  #tellOf(run: RunState, event: StoredEvent, payload: Record<string, unknown>): Said[] {
    switch (event.type) {
      case 'run:terms':
        run.maxIterations = payload['max_turns'] as number
        run.iteration = payload['turns_before'] as number
        return []
      case 'run:declined':
        run.declined = payload['why'] as RunState['declined']
        return []
      case 'run:unbegun':
        return withdrawn(run, event, payload['client_message_id'] as string | null)
      case 'turn:start':
        return event.loop_id === ROOT_LOOP ? turnStarted(run, event, payload as TurnProjection) : []
      case 'run:model_call':
        return event.loop_id === ROOT_LOOP ? modelCalled(run, event) : []
      case 'run:tool_claim':
        return event.loop_id === ROOT_LOOP ? startCall(run, payload['tool_call_id'] as string) : []
      case 'turn:patch':
        return event.loop_id === ROOT_LOOP ? this.#patched(run, event, payload as PatchEnvelope) : []
      case 'turn:end':
        return event.loop_id === ROOT_LOOP ? turnEnded(run, event, payload as TurnProjection) : []
      case 'chat:end': {
        this.#run = null
        const { language } = this.#options
        return encodeEnd(run, { payload, at: event.at, language, request: this.#request ?? run.userMessage })
      }
      default:
        return []
    }
  }

  #patched(run: RunState, event: StoredEvent, { patch_type, data }: PatchEnvelope): Said[] {
    // Before its message, a run only closes what waited before it.
    if (run.messageId === null || run.declined) return []
    switch (patch_type) {
      case 'add_content':
        return data.type === 'text' && typeof data.text_delta === 'string' ? textAdded(run, data.text_delta) : []
      case 'add_tool_call':
        this.#learnCall(data)
        return []
      case 'tool_result':
        return endCall(run, data)
      case 'set_status':
        return data.status === 'completed' ? goneOn(run, event) : []
      default:
        return []
    }
  }

  #learnCall({ id, tool_name, arguments: text }: Pick<ToolCallProjection, 'id' | 'tool_name' | 'arguments'>): void {
    const given = parseArguments(text)
    const isOurs = isSpecialTool(tool_name, 'AskUserQuestion') && 'confirmation' in given
    const isStarted = this.#run?.calls.get(id)?.isStarted ?? false
    // What cannot be read is told as nothing; its result says what is wrong.
    this.#run?.calls.set(id, { name: tool_name, arguments: '_raw' in given ? {} : given, isOurs, isStarted })
  }
}

function turnStarted(run: RunState, { at }: StoredEvent, turn: TurnProjection): Said[] {
  run.turns.add(turn.turn_id)
  if (run.declined && turn.role === 'assistant') run.text = textOf(turn)
  if (turn.role === 'assistant' && run.iterations > 0 && !run.declined) return beginIteration(run, at)
  if (turn.role !== 'user' || run.messageId !== null) return []
  run.messageId = turn.client_message_id ?? turn.turn_id
  run.userMessage = textOf(turn)
  run.startedAt = at
  run.isContinuation = turn.blocks.some(({ type }) => type === 'ask_user_answer')
  const started: Said = { type: 'processing_started', data: { messageId: run.messageId } }
  if (run.declined) return [started]
  if (!run.isContinuation) return [started, ...retrieved(turn), CONFIRMATION_CHECK]
  // [S8.4] It keeps its number.
  run.iteration = Math.max(0, run.iteration - 1)
  run.calledAt = at
  return [started, ...beginIteration(run, at)]
}

/** A message that was taken back before it began. */
function withdrawn(run: RunState, { at }: StoredEvent, client_message_id: string | null): Said[] {
  run.messageId = client_message_id ?? run.run_id
  run.startedAt = at
  return [{ type: 'processing_started', data: { messageId: run.messageId } }, CONFIRMATION_CHECK]
}

/** [S5.4] Documents, each once, by their best passage. */
function retrieved({ sources }: TurnProjection): Said[] {
  const best = new Map<string, Source>()
  for (const source of sources ?? []) if (!best.has(source.document_id)) best.set(source.document_id, source)
  if (best.size === 0) return []
  const documents = [...best.values()].map(({ document_id, title, category, score, confidence }) => {
    return { id: document_id, ...(title !== null && { title }), category, score, confidence }
  })
  const categories = [...new Set(documents.map(({ category }) => category))]
  return [{ type: 'knowledge_retrieved', data: { documentCount: documents.length, categories, documents } }]
}

function modelCalled(run: RunState, { at }: StoredEvent): Said[] {
  run.calledAt = at
  if (run.open?.isAnswer) return [...closeIteration(run, at), ...beginIteration(run, at)]
  // The first one is told with what belongs to it; one that goes on is still open.
  return run.open || run.iterations === 0 ? [] : beginIteration(run, at)
}

/** The turn that waited is done. The next model call went on record with the answer, and is made now if it may be. */
function goneOn(run: RunState, { at }: StoredEvent): Said[] {
  if (run.calledAt !== null) run.calledAt = at
  return closeIteration(run, at)
}

function textAdded(run: RunState, content: string): Said[] {
  run.text += content
  return [...tellIteration(run), { type: 'content_chunk', data: { content, isComplete: false } }]
}

function turnEnded(run: RunState, { at }: StoredEvent, turn: TurnProjection): Said[] {
  if (turn.role !== 'assistant' || run.declined) return []
  if (turn.failure_reason === 'server_stopped') return cutIteration(run, at)
  if (turn.status !== 'completed') return []
  if (turn.tool_calls.some(({ id }) => !run.calls.get(id)?.isOurs)) return closeIteration(run, at)
  const begun = tellIteration(run)
  if (run.open) run.open.isAnswer = true
  return begun
}
