import { applyPatch, type Patch } from '@parley/protocol/wire'
import type { ChatEndPayload, TurnProjection, TurnStatus } from '@parley/protocol'
import type { NewEvent, TurnRow } from '../../src/store/append.ts'
import { appendEvents } from '../../src/store/append.ts'
import type { Engine } from '../../src/store/engine.ts'
import type { Journal } from '../../src/store/journal.ts'
import { endRun, type Lease } from '../../src/store/gate.ts'
import { runSql } from '../../src/store/work.ts'

const BLANK = {
  kind: 'message',
  blocks: [],
  tool_calls: [],
  model: null,
  usage: null,
  duration_ms: 0,
  started_at: '2026-01-01T00:00:00Z',
  context_window: 200_000,
  memory_refs: null,
  parent_fork_tool_call_id: null,
  failure_reason: null,
  patch_sequence: 0,
} as const

/** A run whose every step the test decides. Each step resolves once it is stored. */
export class ScriptedRun {
  readonly lease: Lease
  readonly #engine: Engine
  readonly #journal: Journal
  readonly #turns = new Map<string, TurnProjection>()

  constructor(engine: Engine, journal: Journal, lease: Lease) {
    this.#engine = engine
    this.#journal = journal
    this.lease = lease
  }

  get run_id(): string {
    return this.lease.run_id
  }

  turn(turn_id: string): TurnProjection {
    return this.#turns.get(turn_id)!
  }

  async startTurn(turn_id: string, sequence: number, given: Partial<TurnProjection> = {}): Promise<TurnProjection> {
    const turn: TurnProjection = {
      ...BLANK,
      blocks: [],
      tool_calls: [],
      id: `entry_${turn_id}`,
      turn_id,
      sequence,
      loop_id: 'root',
      role: 'assistant',
      status: 'streaming',
      run_id: this.run_id,
      ...given,
    }
    this.#turns.set(turn_id, turn)
    await this.append([this.#turnEvent('turn:start', turn)])
    return turn
  }

  async say(turn_id: string, ...deltas: string[]): Promise<void> {
    await this.append(
      deltas.map((text_delta) =>
        this.patched(turn_id, { patch_type: 'add_content', data: { type: 'text', text_delta } }),
      ),
    )
  }

  async patch(turn_id: string, patch: Patch): Promise<void> {
    await this.append([this.patched(turn_id, patch)], this.#rowIfEnded(turn_id))
  }

  async endTurn(turn_id: string, status: TurnStatus = 'completed'): Promise<void> {
    const turn = { ...this.turn(turn_id), status, duration_ms: 7 }
    this.#turns.set(turn_id, turn)
    await this.append([this.#turnEvent('turn:end', turn)], [rowOf(turn, this.run_id)])
  }

  async fail(code: string, detail: unknown = null): Promise<void> {
    await this.append([this.#event('system:error', { message: `failed: ${code}`, code, detail, run_id: this.run_id })])
    await this.end({ status: 'failed', finish_reason: null, error: { code, message: `failed: ${code}` } })
  }

  async end(given: Partial<ChatEndPayload> = {}): Promise<void> {
    const payload = {
      status: 'completed',
      result: null,
      finish_reason: 'completed',
      run_id: this.run_id,
      session_status: given.status ?? 'completed',
      pause_tool: null,
      pause_tool_data: null,
      error: null,
      usage: null,
      ...given,
    }
    const { session_id, epoch } = this.lease
    const append = this.#journal.appending(session_id, epoch, [this.#event('chat:end', payload)])
    const { lease, run_id } = this
    await this.#engine.write(function* () {
      yield* appendEvents(append)
      const outcome = JSON.stringify({ session_id, ...payload })
      yield* runSql(`UPDATE runs SET status = 'ended', outcome = ? WHERE id = ?`, [outcome, run_id])
      yield* runSql('UPDATE sessions SET status = ? WHERE id = ?', [payload.session_status, session_id])
      yield* endRun(lease)
    })
  }

  async append(events: NewEvent[], turns: TurnRow[] = []): Promise<void> {
    const { session_id, epoch } = this.lease
    await this.#engine.append({ ...this.#journal.appending(session_id, epoch, events), turns })
  }

  patched(turn_id: string, patch: Patch): NewEvent {
    const turn = this.turn(turn_id)
    const sequence = turn.patch_sequence + 1
    this.#turns.set(turn_id, applyPatch(turn, { ...patch, sequence }))
    const { loop_id } = turn
    return { ...this.#event('turn:patch', { sequence, turn_id, loop_id, ...patch }), turn_id, loop_id }
  }

  #rowIfEnded(turn_id: string): TurnRow[] {
    const turn = this.turn(turn_id)
    return turn.status === 'streaming' ? [] : [rowOf(turn, this.run_id)]
  }

  #turnEvent(type: string, turn: TurnProjection): NewEvent {
    const { turn_id, loop_id } = turn
    return { ...this.#event(type, { ...turn, solution_id: null, template_id: null }), turn_id, loop_id }
  }

  #event(type: string, payload: object): NewEvent {
    return { type, data: JSON.stringify(payload), run_id: this.run_id, loop_id: null, turn_id: null }
  }
}

function rowOf(turn: TurnProjection, run_id: string): TurnRow {
  const { turn_id, sequence, loop_id, status } = turn
  return { turn_id, sequence, run_id, loop_id, status, projection: JSON.stringify(turn), messages: null }
}
