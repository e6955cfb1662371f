import type { TurnProjection, TurnStatus } from '@parley/protocol'
import type { TurnRow } from './append.ts'
import { readStored } from './stored-json.ts'

/** The mark of a turn whose row is damaged: shown as such, and no part of the conversation. */
export const UNREADABLE = 'unreadable'

/** A turn as it was stored; one that cannot be read is shown as just that, in its place. */
export function readTurn(row: Omit<TurnRow, 'messages'>): TurnProjection {
  const turn: Partial<TurnProjection> | undefined = readStored(row.projection)
  const isThis = turn?.turn_id === row.turn_id && turn.sequence === row.sequence
  return isThis && isTurn(turn) ? turn : standIn(row)
}

/** Has it what every reader relies on? Looked at by hand: a schema would cost more than reading the rows. */
export function isTurn(turn: Partial<TurnProjection>): turn is TurnProjection {
  return (
    typeof turn.turn_id === 'string' &&
    Number.isInteger(turn.sequence) &&
    typeof turn.loop_id === 'string' &&
    Array.isArray(turn.blocks) &&
    turn.blocks.every(isObject) &&
    Array.isArray(turn.tool_calls) &&
    turn.tool_calls.every(isCall)
  )
}

function isCall(call: Partial<TurnProjection['tool_calls'][number]>): boolean {
  return (
    isObject(call) &&
    typeof call.id === 'string' &&
    typeof call.tool_name === 'string' &&
    typeof call.arguments === 'string'
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function standIn({
  turn_id,
  sequence,
  run_id,
  loop_id,
  status,
}: Omit<TurnRow, 'messages' | 'projection'>): TurnProjection {
  const block = { tool_call_id: null, tool_name: null, display_name: null }
  return {
    id: `entry_${turn_id}`,
    sequence,
    turn_id,
    loop_id,
    kind: 'message',
    role: 'system',
    status: status as TurnStatus,
    blocks: [{ ...block, type: 'system_notification', content: 'This turn cannot be read.' }],
    tool_calls: [],
    model: null,
    usage: null,
    duration_ms: 0,
    started_at: null,
    context_window: 0,
    memory_refs: null,
    parent_fork_tool_call_id: null,
    failure_reason: UNREADABLE,
    patch_sequence: 0,
    run_id,
  }
}
