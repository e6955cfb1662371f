import { applyPatch, type Patch } from '@parley/protocol/wire'
import {
  type ContentBlock,
  type EventName,
  type EventPayload,
  ROOT_LOOP,
  type ToolCallProjection,
  type TurnProjection,
  type TurnStatus,
} from '@parley/protocol'
import { withoutMeta } from '@parley/protocol/schemas'
import type { Clock, Ids, UserPart } from '../ports.ts'
import type { ContentRow, NewEvent, TurnRow } from '../store/append.ts'

/** Results longer than this are cut on the wire and in history; clients are told. */
const RESULT_BYTES = 64 * 1024

/** What is journaled but never sent: how a recovered run knows what was intended, answered and begun. */
export type HiddenEvent = 'run:model_call' | 'run:model_input' | 'run:answer' | 'run:tool_claim' | 'run:refused'

export type BookOptions = {
  run_id: string
  /** Number of the next turn. */
  nextSequence: number
  clock: Clock
  ids: Ids
  contextWindow: number
  solution_id: string | null
}

type NewTurn = Pick<TurnProjection, 'role'> &
  Partial<
    Pick<TurnProjection, 'turn_id' | 'loop_id' | 'parent_fork_tool_call_id' | 'model' | 'content_parts' | 'blocks'>
  >

/**
 * Writes a run's story: keeps its open turns folded, numbers turns and patches, and collects the events and rows that
 * the next append will store. It touches no database; taking a page out and storing it is its owner's job.
 */
export class TurnBook {
  readonly run_id: string
  readonly #options: BookOptions
  readonly #turns = new Map<string, Entry>()
  #nextSequence: number
  #events: NewEvent[] = []
  #rows = new Map<string, TurnRow>()
  #contents: ContentRow[] = []
  #failed: TurnProjection | undefined

  constructor(options: BookOptions) {
    this.#options = options
    this.#nextSequence = options.nextSequence
    this.run_id = options.run_id
  }

  /** Takes up a turn that exists already: a paused one, or one that a lost owner left open. */
  adopt(turn: TurnProjection, messages: string | null): void {
    const { clock } = this.#options
    this.#turns.set(turn.turn_id, {
      turn,
      messages,
      isEnded: turn.status !== 'streaming',
      startedAt: clock.elapsed() - Math.max(0, clock.now() - Date.parse(turn.started_at ?? '')),
    })
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  /** Is this turn open, or paused? */
  has(turn_id: string): boolean {
    return this.#turns.has(turn_id)
  }

  turn(turn_id: string): TurnProjection {
    return this.#entry(turn_id).turn
  }

  /** An open or paused turn's call. */
  findCall(tool_call_id: string): { turn: TurnProjection; call: ToolCallProjection } | undefined {
    for (const { turn } of this.#turns.values()) {
      const call = turn.tool_calls.find(({ id }) => id === tool_call_id)
      if (call) return { turn, call }
    }
    return undefined
  }

  /** Turns that stream or wait for a person, the newest, and so the innermost, first. */
  openTurns(): TurnProjection[] {
    return [...this.#turns.values()].map(({ turn }) => turn).sort((a, b) => b.sequence - a.sequence)
  }

  /** Those that wait for a person. */
  pausedTurns(): TurnProjection[] {
    return this.openTurns().filter(({ status }) => status === 'paused')
  }

  /** Everything since the last call, in order. */
  take(): { events: NewEvent[]; turns: TurnRow[]; contents: ContentRow[] } {
    const page = { events: this.#events, turns: [...this.#rows.values()], contents: this.#contents }
    this.#events = []
    this.#rows = new Map()
    this.#contents = []
    return page
  }

  startTurn(given: NewTurn): TurnProjection {
    const startedAt = this.#options.clock.elapsed()
    const turn = this.#newTurn(given)
    this.#turns.set(turn.turn_id, { turn, messages: null, isEnded: false, startedAt })
    this.#push('turn:start', this.#turnPayload(turn), turn)
    return turn
  }

  /** A turn that is complete from the start: a user's message, or a remark of the system. */
  addTurn(given: NewTurn, messages: readonly UserPart[] | null = null): TurnProjection {
    const turn = this.startTurn(given)
    if (messages) this.setMessages(turn.turn_id, JSON.stringify(messages))
    this.endTurn(turn.turn_id, 'completed')
    return turn
  }

  /**
   * The turn that says why a run failed which left no failed one: nothing in it but the reason. Written inside the work
   * that ends the run, which may be begun anew: it is the same turn every time.
   */
  addFailedTurn(model: string | null, failure_reason: string): void {
    const turn = (this.#failed ??= this.#newTurn({ role: 'assistant', model }))
    const ended: TurnProjection = { ...turn, status: 'failed', failure_reason }
    this.#push('turn:start', this.#turnPayload(turn), turn)
    this.#push('turn:end', this.#turnPayload(ended), ended)
    this.#keep({ turn: ended, messages: null })
  }

  patch(turn_id: string, patch: Patch, isText = false): void {
    const entry = this.#entry(turn_id)
    const sequence = entry.turn.patch_sequence + 1
    entry.turn = applyPatch(entry.turn, { ...patch, sequence })
    const { loop_id } = entry.turn
    this.#push(
      'turn:patch',
      { sequence, turn_id, loop_id, patch_type: patch.patch_type, data: patch.data },
      entry.turn,
      isText,
    )
    if (entry.isEnded) this.#keep(entry)
  }

  addText(turn_id: string, type: 'text' | 'thinking', text_delta: string, block_index: number): void {
    this.patch(turn_id, { patch_type: 'add_content', data: { type, text_delta, block_index } }, true)
  }

  addBlock(turn_id: string, block: Pick<ContentBlock, 'type' | 'content'> & Partial<CallNames>): void {
    this.patch(turn_id, {
      patch_type: 'add_content',
      data: { ...block, block_index: this.turn(turn_id).blocks.length },
    })
  }

  /** How blocks name the call they belong to. */
  callNames(turn_id: string, tool_call_id: string): CallNames {
    const call = this.turn(turn_id).tool_calls.find(({ id }) => id === tool_call_id)
    return { tool_call_id, tool_name: call?.tool_name ?? '', display_name: call?.display_name ?? '' }
  }

  settleCall(turn_id: string, { tool_call_id, status, result, duration_ms = 0 }: SettledCall): void {
    this.patch(turn_id, { patch_type: 'tool_result', data: { tool_call_id, status, duration_ms, ...cut(result) } })
  }

  /** What stands for this turn in the model's context, where the projection alone does not tell. */
  setMessages(turn_id: string, messages: string): void {
    this.#entry(turn_id).messages = messages
  }

  setUsage(turn_id: string, usage: TurnProjection['usage']): void {
    const entry = this.#entry(turn_id)
    entry.turn = { ...entry.turn, usage }
  }

  /** Ends a turn with `turn:end`; one that ended before, at a pause, gets `set_status` instead. */
  endTurn(turn_id: string, status: Exclude<TurnStatus, 'streaming'>, failure_reason: string | null = null): void {
    const entry = this.#entry(turn_id)
    if (entry.isEnded) {
      if (failure_reason !== null) entry.turn = { ...entry.turn, failure_reason }
      this.patch(turn_id, { patch_type: 'set_status', data: { status } })
    } else {
      const duration_ms =
        entry.turn.role === 'assistant' ? Math.round(this.#options.clock.elapsed() - entry.startedAt) : 0
      entry.turn = { ...entry.turn, status, failure_reason, duration_ms }
      entry.isEnded = true
      this.#push('turn:end', this.#turnPayload(entry.turn), entry.turn)
      this.#keep(entry)
    }
    if (status !== 'paused') this.#turns.delete(turn_id)
  }

  notify<Name extends EventName>(name: Name, payload: Omit<EventPayload<Name>, 'session_id' | 'event_seq'>): void {
    this.#push(name, payload)
  }

  hidden(
    type: HiddenEvent,
    data: Record<string, unknown>,
    turn_id: string | null = null,
    loop_id: string | null = null,
  ): void {
    this.#events.push({ type, data: JSON.stringify(data), run_id: this.run_id, loop_id, turn_id })
  }

  /** Texts that a hidden event names by their digests. */
  keepContents(contents: readonly ContentRow[]): void {
    this.#contents.push(...contents)
  }

  #newTurn(given: NewTurn): TurnProjection {
    const { clock, ids, contextWindow, run_id } = this.#options
    return {
      id: ids.next('entry'),
      sequence: this.#nextSequence++,
      turn_id: given.turn_id ?? ids.next('turn'),
      loop_id: given.loop_id ?? ROOT_LOOP,
      kind: 'message',
      role: given.role,
      status: given.role === 'assistant' ? 'streaming' : 'completed',
      blocks: given.blocks ?? [],
      tool_calls: [],
      model: given.model ?? null,
      usage: null,
      duration_ms: 0,
      started_at: new Date(clock.now()).toISOString(),
      context_window: contextWindow,
      memory_refs: null,
      parent_fork_tool_call_id: given.parent_fork_tool_call_id ?? null,
      failure_reason: null,
      patch_sequence: 0,
      run_id,
      ...(given.content_parts && { content_parts: given.content_parts }),
    }
  }

  #entry(turn_id: string): Entry {
    const entry = this.#turns.get(turn_id)
    if (!entry) throw new Error(`Turn ${turn_id} is not open.`)
    return entry
  }

  #turnPayload(turn: TurnProjection): Record<string, unknown> {
    return { ...turn, solution_id: this.#options.solution_id, template_id: null }
  }

  #push(type: string, payload: object, turn?: TurnProjection, isText = false): void {
    const event = {
      type,
      data: JSON.stringify(payload),
      run_id: this.run_id,
      loop_id: turn?.loop_id ?? null,
      turn_id: turn?.turn_id ?? null,
    }
    this.#events.push(isText ? { ...event, text: true } : event)
  }

  #keep({ turn, messages }: Pick<Entry, 'turn' | 'messages'>): void {
    const { turn_id, sequence, run_id, loop_id, status } = turn
    this.#rows.set(turn_id, { turn_id, sequence, run_id, loop_id, status, projection: JSON.stringify(turn), messages })
  }
}

type SettledCall = {
  tool_call_id: string
  status: 'done' | 'error' | 'cancelled'
  result: unknown
  duration_ms?: number
}

type CallNames = { tool_call_id: string; tool_name: string; display_name: string }

type Entry = { turn: TurnProjection; messages: string | null; isEnded: boolean; startedAt: number }

function cut(result: unknown): { result: unknown; result_truncated?: true; result_bytes?: number } {
  if (serialised(result).length <= RESULT_BYTES / 4) return { result }
  if (Buffer.byteLength(serialised(result)) <= RESULT_BYTES) return { result }
  // What is meant for the page has blocks of its own; half of it would end up with the model.
  const bytes = Buffer.from(serialised(withoutMeta(result)))
  // A character cut in half at the edge would not be the text any more.
  const kept = bytes
    .subarray(0, RESULT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return { result: kept, result_truncated: true, result_bytes: bytes.length }
}

function serialised(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result)
}
