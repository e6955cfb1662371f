import { ROOT_LOOP, textOf, type TurnProjection } from '@parley/protocol'
import type { Call } from '../core/loop-state.ts'
import { turnMessages } from '../core/messages.ts'
import type { AnswerPart, JsonValue, ModelMessage, UserPart } from '../ports.ts'
import type { TurnRow } from '../store/append.ts'
import { readTurn } from '../store/read-turn.ts'
import { readStoredList } from '../store/stored-json.ts'
import { lastCompaction, summaryMessages, trimMessages } from './compaction/compacted.ts'

/** The mark of a turn that a lost server left half-written: shown, but never part of the conversation. */
export const SERVER_STOPPED = 'server_stopped'

/** A turn, and what was kept beside its projection: an answer's parts, or a user's attachments as the model gets them. */
export type StoredTurn = { turn: TurnProjection; parts: AnswerPart[] | null; said?: UserPart[] | null }

export function storedTurn({ messages, ...row }: TurnRow): StoredTurn {
  const turn = readTurn(row)
  const kept = messages === null ? null : partsIn(readStoredList(messages))
  return turn.role === 'user'
    ? { turn, parts: null, said: kept as UserPart[] | null }
    : { turn, parts: kept as AnswerPart[] | null }
}

/** The columns of a turn's row that `storedTurn` takes. */
export const TURN_COLUMNS = ['turn_id', 'sequence', 'run_id', 'loop_id', 'status', 'projection', 'messages'] as const

/** The parts of an answer or a message, or `null` where that is not what was stored. */
export function partsIn(value: unknown): (AnswerPart | UserPart)[] | null {
  return Array.isArray(value) && value.every(isPart) ? value : null
}

function isPart(part: Record<string, unknown> | null): boolean {
  if (part?.['type'] === 'text' || part?.['type'] === 'thinking') return typeof part['text'] === 'string'
  if (part?.['type'] === 'image') return typeof part['url'] === 'string'
  return part?.['type'] === 'tool_call' && ['id', 'name', 'arguments'].every((key) => typeof part[key] === 'string')
}

/** Turns of one loop as the model gets them. The same turns always give the same bytes, live or recovered. */
export function contextOf(turns: readonly StoredTurn[]): ModelMessage[] {
  const compaction = lastCompaction(turns)?.turn
  if (!compaction) return turns.flatMap(messagesOf)
  const kept = turns.flatMap((stored) => trimMessages(messagesOf(stored), stored.turn.sequence, compaction.trimmed))
  return [...summaryMessages(compaction), ...kept]
}

/** Turns of one loop, oldest first. */
export function ofLoop(turns: readonly StoredTurn[], loop_id: string): StoredTurn[] {
  return turns.filter(({ turn }) => turn.loop_id === loop_id)
}

/** What one turn adds to the conversation. */
export function messagesOf({ turn, parts, said }: StoredTurn): ModelMessage[] {
  if (turn.failure_reason === SERVER_STOPPED || turn.role === 'system' || turn.archived) return []
  if (turn.role === 'user') return userMessages(turn, said)
  return turnMessages({ parts: partsOf({ turn, parts }), calls: callsOf({ turn, parts }) })
}

function userMessages(turn: TurnProjection, said: UserPart[] | null | undefined): ModelMessage[] {
  if (turn.loop_id !== ROOT_LOOP) return []
  // An answer to a question reaches the model as the tool's result.
  if (turn.blocks.some(({ type }) => type === 'ask_user_answer')) return []
  return [{ role: 'user', content: said ?? [{ type: 'text', text: textOf(turn) }] }]
}

/** Where nothing was kept beside the projection, its text is the whole answer. */
export function partsOf({ turn, parts }: StoredTurn): AnswerPart[] {
  if (parts) return parts
  const text = textOf(turn)
  return text === '' ? [] : [{ type: 'text', text }]
}

/**
 * The model's calls of a stored turn, each with the provider's id for it and where it stands. Questions that ask for
 * consent come after them; they are ours, and no part of the conversation.
 */
export function callsOf({ turn, parts }: StoredTurn): Call[] {
  const made = (parts ?? []).filter((part) => part.type === 'tool_call')
  const calls = parts === null ? turn.tool_calls : turn.tool_calls.slice(0, made.length)
  return calls.map((call, index) => ({
    id: call.id,
    provider_id: made[index]?.id ?? call.id,
    name: call.tool_name,
    arguments: call.arguments,
    child: null,
    consent: null,
    state:
      call.status === 'awaiting_answer'
        ? { type: 'waiting', refs: call.pending_question_ref ? [call.pending_question_ref] : [] }
        : call.status === 'pending'
          ? { type: 'announced' }
          : {
              type: 'settled',
              status: call.status,
              result: (call.result ?? (call.status === 'cancelled' ? 'cancelled by the user' : null)) as JsonValue,
            },
  }))
}
