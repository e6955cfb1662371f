import { applyPatch, type Patch } from '@parley/protocol/wire'
import {
  textOf,
  type ContentBlock,
  type EventName,
  type EventPayload,
  type ToolCallProjection,
  type TurnProjection,
  type TurnStatus,
} from '@parley/protocol'
import type { Clock, Ids, UserPart } from '../ports.ts'
import type { ContentRow } from '../store/append.ts'
import { type About, BookPage, type HiddenEvent, type TakenPage } from './book-page.ts'
import { type NewTurn, newTurn } from './new-turn.ts'
import { type SettledCall, settledPatch } from './settled-call.ts'

export type BookOptions = {
  run_id: string
  /** Number of the next turn. */
  nextSequence: number
  clock: Clock
  ids: Ids
  /** Of a turn that this model makes; `null`: of one that nobody's does. */
  contextWindow: (model: string | null) => number
  solution_id: string | null
}

/**
 * Writes a run's story: keeps its open turns folded, numbers turns and patches, and collects the events and rows that
 * the next append will store. It touches no database; taking a page out and storing it is its owner's job.
 */
export class TurnBook {
  readonly run_id: string
  readonly #options: BookOptions
  readonly #turns = new Map<string, Entry>()
  readonly #page: BookPage
  #nextSequence: number
  #failed: TurnProjection | undefined

  constructor(options: BookOptions) {
    this.#options = options
    this.#nextSequence = options.nextSequence
    this.run_id = options.run_id
    this.#page = new BookPage(options)
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

  /** Its session has no turn yet. */
  get isAtBeginning(): boolean {
    return this.#nextSequence === 0
  }

  /** Number of the next turn. */
  get nextSequence(): number {
    return this.#nextSequence
  }

  get isEmpty(): boolean {
    return this.#page.isEmpty
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
  take(): TakenPage {
    return this.#page.take()
  }

  startTurn(given: NewTurn): TurnProjection {
    const startedAt = this.#options.clock.elapsed()
    const turn = this.#newTurn(given)
    this.#turns.set(turn.turn_id, { turn, messages: null, isEnded: false, startedAt })
    this.#page.tellTurn('turn:start', turn)
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
    this.#page.tellTurn('turn:start', turn)
    this.#page.tellTurn('turn:end', ended)
    this.#page.keepTurn(ended, null)
  }

  patch(turn_id: string, patch: Patch, isText = false): void {
    const entry = this.#entry(turn_id)
    const sequence = entry.turn.patch_sequence + 1
    entry.turn = applyPatch(entry.turn, { ...patch, sequence })
    const { loop_id } = entry.turn
    const payload = { sequence, turn_id, loop_id, patch_type: patch.patch_type, data: patch.data }
    if (isText) this.#page.tellText(payload, entry.turn)
    else this.#page.tell('turn:patch', payload, entry.turn)
    if (entry.isEnded) this.#page.keepTurn(entry.turn, entry.messages)
  }

  addText(turn_id: string, data: { type: 'text' | 'thinking'; text_delta: string; block_index: number }): void {
    this.patch(turn_id, { patch_type: 'add_content', data }, true)
  }

  /** A block that belongs to a call. */
  addBlock(turn_id: string, tool_call_id: string, block: Pick<ContentBlock, 'type' | 'content'>): void {
    const { tool_calls, blocks } = this.turn(turn_id)
    const { tool_name = '', display_name = '' } = tool_calls.find(({ id }) => id === tool_call_id) ?? {}
    const data = { ...block, tool_call_id, tool_name, display_name, block_index: blocks.length }
    this.patch(turn_id, { patch_type: 'add_content', data })
  }

  settleCall(turn_id: string, call: SettledCall): void {
    this.patch(turn_id, settledPatch(call))
  }

  /** What stands for this turn in the model's context, where the projection alone does not tell. */
  setMessages(turn_id: string, messages: string): void {
    this.#entry(turn_id).messages = messages
  }

  /** What a compaction has made. */
  setCompacted(turn_id: string, compacted: Partial<TurnProjection>): void {
    const entry = this.#entry(turn_id)
    entry.turn = { ...entry.turn, ...compacted }
  }

  setUsage(turn_id: string, usage: TurnProjection['usage']): void {
    const entry = this.#entry(turn_id)
    entry.turn = { ...entry.turn, usage }
  }

  /** An answer that names sources says which; the others have none. */
  cite(turn_id: string, sources: { citedIn: (text: string) => NonNullable<TurnProjection['citations']> }): void {
    const entry = this.#entry(turn_id)
    const citations = sources.citedIn(textOf(entry.turn))
    if (citations.length > 0) entry.turn = { ...entry.turn, citations }
  }

  /** Ends a turn with `turn:end`; one that ended before, at a pause, gets `set_status` instead. */
  endTurn(turn_id: string, status: Exclude<TurnStatus, 'streaming'>, failure_reason: string | null = null): void {
    const entry = this.#entry(turn_id)
    if (entry.isEnded) {
      if (failure_reason !== null) entry.turn = { ...entry.turn, failure_reason }
      this.patch(turn_id, { patch_type: 'set_status', data: { status } })
    } else {
      const takesTime = entry.turn.role === 'assistant' || entry.turn.kind === 'compaction'
      const duration_ms = takesTime ? Math.round(this.#options.clock.elapsed() - entry.startedAt) : 0
      entry.turn = { ...entry.turn, status, failure_reason, duration_ms }
      entry.isEnded = true
      this.#page.tellTurn('turn:end', entry.turn)
      this.#page.keepTurn(entry.turn, entry.messages)
    }
    if (status !== 'paused') this.#turns.delete(turn_id)
  }

  notify<Name extends EventName>(name: Name, payload: Omit<EventPayload<Name>, 'session_id' | 'event_seq'>): void {
    this.#page.tell(name, payload)
  }

  hidden(type: HiddenEvent, data: Record<string, unknown>, about: About = {}): void {
    this.#page.tell(type, data, about)
  }

  /** Texts that a hidden event names by their digests. */
  keepContents(contents: readonly ContentRow[]): void {
    this.#page.keepContents(contents)
  }

  #newTurn(given: NewTurn): TurnProjection {
    const { run_id, contextWindow } = this.#options
    const place = { run_id, contextWindow: contextWindow(given.model ?? null), sequence: this.#nextSequence++ }
    return newTurn(given, place, this.#options)
  }

  #entry(turn_id: string): Entry {
    const entry = this.#turns.get(turn_id)
    if (!entry) throw new Error(`Turn ${turn_id} is not open.`)
    return entry
  }
}

type Entry = { turn: TurnProjection; messages: string | null; isEnded: boolean; startedAt: number }
