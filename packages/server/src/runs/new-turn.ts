import { ROOT_LOOP, type TurnProjection } from '@parley/protocol'
import type { Clock, Ids } from '../ports.ts'

/** What a turn begins with. */
export type NewTurn = Pick<TurnProjection, 'role'> &
  Partial<
    Pick<
      TurnProjection,
      | 'turn_id'
      | 'loop_id'
      | 'parent_fork_tool_call_id'
      | 'model'
      | 'content_parts'
      | 'blocks'
      | 'client_message_id'
      | 'started_at'
      | 'imported'
      | 'sources'
      | 'quotes'
      | 'memory_refs'
      | 'kind'
      | 'trigger'
    >
  >

export type TurnPlace = { run_id: string; sequence: number; contextWindow: number }

/** A model's turn streams, and so does a compaction; anybody else's is complete from the start. */
export function newTurn(given: NewTurn, place: TurnPlace, { clock, ids }: { clock: Clock; ids: Ids }): TurnProjection {
  return {
    id: ids.next('entry'),
    sequence: place.sequence,
    turn_id: given.turn_id ?? ids.next('turn'),
    loop_id: given.loop_id ?? ROOT_LOOP,
    kind: given.kind ?? 'message',
    role: given.role,
    status: given.role === 'assistant' || given.kind === 'compaction' ? 'streaming' : 'completed',
    blocks: given.blocks ?? [],
    tool_calls: [],
    model: given.model ?? null,
    usage: null,
    duration_ms: 0,
    started_at: given.started_at ?? new Date(clock.now()).toISOString(),
    context_window: place.contextWindow,
    memory_refs: given.memory_refs ?? null,
    parent_fork_tool_call_id: given.parent_fork_tool_call_id ?? null,
    failure_reason: null,
    patch_sequence: 0,
    // What no run of ours made gives no rights.
    run_id: given.imported ? null : place.run_id,
    ...(given.imported && { imported: true }),
    ...(given.content_parts && { content_parts: given.content_parts }),
    ...(given.trigger && { trigger: given.trigger }),
    ...(given.client_message_id && { client_message_id: given.client_message_id }),
    ...(given.sources && { sources: given.sources }),
    ...(given.quotes && { quotes: given.quotes }),
  }
}
