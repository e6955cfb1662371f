import { setImmediate } from 'node:timers/promises'
import type { EventName, Projection, SessionEvent, TurnProjection } from '@parley/protocol'
import type { NewSessionEvent } from '@parley/protocol/wire'
import { emptyProjection, findTurn, openQuestions, reduce } from '@parley/protocol'
import { numberEvent, toDelta } from '@parley/protocol/wire'
import type { Socket } from 'socket.io'

type Ended = { status?: 'completed' | 'failed' | 'interrupted'; session_status?: string; [field: string]: unknown }

/** One session of the scripted server: its journal, its fold, and who reads it. */
export class ScriptedSession {
  readonly id: string
  intent = ''
  run_id: string | null = null
  journal: SessionEvent[] = []
  projection: Projection = emptyProjection
  /** Events up to this number are no longer held for replay. */
  floor = 0
  /** How many events before `since` a catch-up repeats. */
  overlap = 0
  /** Who reads, and in which patch mode. */
  readonly readers = new Map<Socket, string>()
  readonly accepted = new Map<string, Record<string, unknown>>()
  /** Called after every event; the place to cut a connection. */
  afterEvent: () => void = () => {}
  #runs = 0
  #stop = Promise.withResolvers<void>()

  constructor(id: string) {
    this.id = id
  }

  get head(): number {
    return this.journal.at(-1)?.payload.event_seq ?? 0
  }

  record() {
    const { status } = this.projection
    const moment = '2026-01-01T00:00:00Z'
    return {
      id: this.id,
      intent: this.intent,
      status: this.run_id ? 'running' : (status ?? 'created'),
      created_at: moment,
      updated_at: moment,
      user_id: 'user_1',
      solution_id: null,
      biz_role_id: null,
      model: null,
      shared: false,
      is_pinned: false,
      memory_enabled: true,
      is_persistent: false,
      replay_state: null,
      mode: 'executing',
      last_event_seq: this.head,
    }
  }

  page(query: URLSearchParams): readonly TurnProjection[] {
    const after = query.get('after')
    const limit = Number(query.get('limit') ?? Infinity)
    const before = Number(query.get('before') ?? Infinity)
    const turns = this.projection.turns.filter(({ sequence, deprecated }) => sequence < before && !deprecated)
    if (after === null) return turns.slice(-limit)
    return turns.filter(({ sequence }) => sequence > Number(after)).slice(0, limit)
  }

  /** True when `since` could be honoured. */
  catchUp(socket: Socket, since: number | null): boolean {
    if (since !== null && since >= this.floor && since <= this.head) {
      for (const event of this.journal) if (event.payload.event_seq > since - this.overlap) this.#send(socket, event)
      return true
    }
    if (this.run_id === null) return false
    const envelope = { session_id: this.id, event_seq: this.head, replayed: true }
    socket.emit('chat:start', { ...envelope, run_id: this.run_id })
    for (const turn of this.projection.turns)
      if (turn.status === 'streaming') socket.emit('turn:start', { ...turn, ...envelope })
    return false
  }

  /** Reserves the session for a run; the script starts it. */
  begin(): string {
    this.run_id ??= `chat_${(this.#runs += 1)}`
    return this.run_id
  }

  stop(): void {
    this.#stop.resolve()
  }

  /** Resolves when the user stops the run. */
  stopRequested(): Promise<void> {
    return this.#stop.promise
  }

  /** Journals one event, folds it and shows it; hands the event loop over, so that everything may happen in between. */
  async emit(name: EventName, payload: object): Promise<void> {
    const draft = { name, payload: { session_id: this.id, ...payload } } as NewSessionEvent
    const event = numberEvent(draft, this.head + 1)
    this.journal.push(structuredClone(event))
    this.projection = reduce(this.projection, structuredClone(event))
    for (const socket of this.readers.keys()) this.#send(socket, event)
    this.afterEvent()
    await setImmediate()
  }

  start() {
    return this.emit('chat:start', { run_id: this.begin() })
  }

  async user(text: string, blocks: object[] = [{ type: 'text', content: text, ...noTool }]) {
    const turn = this.#turn({ role: 'user', status: 'completed', blocks })
    await this.emit('turn:start', turn)
    await this.emit('turn:end', turn)
  }

  /** A plain message instead of an answer. */
  async withdrawQuestions(): Promise<void> {
    for (const { turn_id, tool_call_id } of openQuestions(this.projection.turns)) {
      await this.patch(turn_id, 'tool_result', {
        tool_call_id,
        status: 'cancelled',
        duration_ms: 1,
        result: 'Withdrawn.',
      })
      await this.patch(turn_id, 'set_status', { status: 'interrupted' })
    }
  }

  /** Starts an assistant turn. */
  async assistant(fields: Partial<TurnProjection> = {}) {
    const { turn_id, ...turn } = this.#turn({ role: 'assistant', status: 'streaming', model: 'scripted', ...fields })
    await this.emit('turn:start', { turn_id, ...turn })
    const patch = (patch_type: string, data: object) => this.patch(turn_id, patch_type, data)
    return {
      turn_id,
      patch,
      say: (text_delta: string, type = 'text') => patch('add_content', { type, text_delta }),
      call: (id: string, tool_name: string, args: object) =>
        patch('add_tool_call', { ...callOf(id, tool_name, args), status: 'pending' }),
      ask: (id: string, args: object) =>
        patch('add_tool_call', { ...callOf(id, 'AskUserQuestion', args), status: 'awaiting_answer' }),
      result: (tool_call_id: string, result: unknown, status = 'done') =>
        patch('tool_result', { tool_call_id, result, status, duration_ms: 5 }),
      end: async (status = 'completed', failure_reason: string | null = null) => {
        const now = findTurn(this.projection, turn_id)!
        const usage = { input_tokens: 1, output_tokens: 2 }
        await this.emit('turn:end', { ...now, status, failure_reason, duration_ms: 9, usage })
      },
    }
  }

  patch(turn_id: string, patch_type: string, data: object): Promise<void> {
    const { loop_id, patch_sequence } = findTurn(this.projection, turn_id)!
    return this.emit('turn:patch', { turn_id, loop_id, sequence: patch_sequence + 1, patch_type, data })
  }

  async end({ status = 'completed', session_status = status, ...more }: Ended = {}): Promise<void> {
    const { run_id } = this
    this.run_id = null
    this.#stop = Promise.withResolvers()
    await this.emit('chat:end', { status, session_status, run_id, result: null, finish_reason: null, ...more })
  }

  #send(socket: Socket, { name, payload }: SessionEvent): void {
    const isDelta = this.readers.get(socket) !== 'compat'
    socket.emit(name, name === 'turn:patch' && isDelta ? toDelta(payload) : payload)
  }

  #turn(fields: object) {
    const sequence = this.projection.turns.length
    return {
      id: `entry_${sequence}`,
      sequence,
      turn_id: `turn_${sequence}`,
      loop_id: 'root',
      kind: 'message',
      blocks: [],
      tool_calls: [],
      model: null,
      usage: null,
      duration_ms: 0,
      started_at: null,
      context_window: 0,
      memory_refs: null,
      parent_fork_tool_call_id: null,
      failure_reason: null,
      patch_sequence: 0,
      run_id: this.run_id,
      ...fields,
    }
  }
}

function callOf(id: string, tool_name: string, args: object) {
  return { id, tool_name, display_name: `«${tool_name}»`, arguments: JSON.stringify(args) }
}

const noTool = { tool_call_id: null, tool_name: null, display_name: null }
