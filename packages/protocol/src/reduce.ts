/**
 * The fold that server, SDK and console share. Everything people see of a session is `events.reduce(reduce,
 * emptyProjection)`; it validates nothing, reads no clock and never changes its input.
 */
import { applyPatch } from './apply-patch.ts'
import { archiveTurns, followPath } from './archive-turns.ts'
import type { Mode } from './block.ts'
import type { Branch } from './branch.ts'
import type { EventPayload, SessionEvent, SessionUpdatedPayload } from './events.ts'
import type { PatchEnvelope } from './patch.ts'
import type { PendingQuestion } from './question.ts'
import type { SessionStatus } from './session.ts'
import type { Task } from './task.ts'
import { parseArguments } from './parse-arguments.ts'
import { isSpecialTool } from './special-tool.ts'
import type { TurnProjection } from './turn.ts'
import { turnOf } from './turn-of.ts'

/** What the events of one session have told so far. null: no event has said it yet. */
export type Projection = {
  /** Ascending by `sequence`, all loops together; those of other branches are `deprecated`. */
  readonly turns: readonly TurnProjection[]
  /** Number of the last event folded without a gap before it; what `since` wants. */
  readonly event_seq: number
  /** The active run. */
  readonly run_id: string | null
  readonly status: SessionStatus | null
  readonly mode: Mode | null
  readonly intent: string | null
  readonly model: string | null
  /** The one that is being talked on; null: no event has named one, so it is the first. */
  readonly branch: Branch | null
  /** The oldest question the last run stopped at; `openQuestions` also finds those of a run under way. */
  readonly pending_question: PendingQuestion | null
  readonly tasks: readonly Task[]
  readonly isDeleted: boolean
  /** A patch was missed: subscribe with `resync: true`, or read the messages and pass them to `withRestTurns`. */
  readonly needsResync: boolean
}

export const emptyProjection: Projection = {
  turns: [],
  event_seq: 0,
  run_id: null,
  status: null,
  mode: null,
  intent: null,
  model: null,
  branch: null,
  pending_question: null,
  tasks: [],
  isDeleted: false,
  needsResync: false,
}

/** The projection after one event. What the event does not touch stays the same object; unknown events change nothing. */
export function reduce(state: Projection, event: SessionEvent): Projection {
  const next = withEvent(state, event)
  // Past a gap the number stays behind, so that a reconnect asks for what was missed.
  const event_seq = next.needsResync ? next.event_seq : (event.payload.event_seq ?? next.event_seq)
  return event_seq === next.event_seq ? next : { ...next, event_seq }
}

function withEvent(state: Projection, event: SessionEvent): Projection {
  switch (event.name) {
    case 'turn:start':
      return { ...state, turns: withTurn(state.turns, turnOf(event.payload)) }
    case 'turn:end': {
      const turn = turnOf(event.payload)
      return { ...state, turns: archiveTurns(withTurn(state.turns, turn), turn) }
    }
    case 'turn:patch':
      return withPatch(state, event.payload)
    case 'chat:start': {
      const { run_id, replayed } = event.payload
      const needsResync = replayed ? false : state.needsResync
      return { ...state, run_id: run_id ?? null, status: 'running', pending_question: null, needsResync }
    }
    case 'chat:end': {
      const { session_status, status, pause_tool_data } = event.payload
      return { ...state, run_id: null, status: session_status ?? status, pending_question: pause_tool_data ?? null }
    }
    case 'session:updated':
      return withSession(state, event.payload)
    case 'task:updated':
      return { ...state, tasks: event.payload.tasks }
    case 'session:deleted':
      return { ...state, isDeleted: true }
    case 'feedback:given':
      return withFeedback(state, event.payload)
    case 'workspace:files_changed':
    case 'system:error':
    case 'system:notification':
    case 'memory:inject:done':
    case 'knowledge:retrieved':
    case 'artifact:created':
    case 'bg:started':
    case 'bg:ended':
    case 'skills:changed':
    case 'replay:input_mismatch':
      return state
    default:
      // A new event fails to compile here; an unknown one from a newer server is ignored.
      event satisfies never
      return state
  }
}

function withPatch(state: Projection, patch: PatchEnvelope): Projection {
  const index = state.turns.findLastIndex(({ turn_id }) => turn_id === patch.turn_id)
  const turn = state.turns[index]
  // A newer server's patch type may have no data at all.
  const snapshot: TurnProjection | undefined = patch.data?.turn
  if (snapshot) {
    return turn && !isAsNew(snapshot, turn) ? state : { ...state, turns: withTurn(state.turns, snapshot) }
  }
  if (!turn || patch.sequence > seen(turn) + 1) return state.needsResync ? state : { ...state, needsResync: true }
  if (patch.sequence <= seen(turn)) return state // a resumed stream repeats its tail
  return { ...state, turns: state.turns.with(index, applyPatch(turn, patch)) }
}

function withSession(state: Projection, { status, mode, intent, model, branch }: SessionUpdatedPayload): Projection {
  return {
    ...state,
    turns: branch ? followPath(state.turns, branch.path) : state.turns,
    branch: branch ?? state.branch,
    status: status ?? state.status,
    mode: mode ?? state.mode,
    intent: intent ?? state.intent,
    model: model ?? state.model,
    // Stopping while a question waits ends the wait without a chat:end.
    pending_question: status && status !== 'waiting_for_input' ? null : state.pending_question,
  }
}

/** Of a turn that was never read nothing is kept: it comes with what is thought of it. */
function withFeedback(state: Projection, given: EventPayload<'feedback:given'>): Projection {
  const index = state.turns.findLastIndex(({ turn_id }) => turn_id === given.turn_id)
  const turn = state.turns[index]
  if (!turn) return state
  const { turn_id: _turn, session_id: _session, event_seq: _seq, value, ...said } = given
  const feedback = value === null ? null : { ...said, value }
  return { ...state, turns: state.turns.with(index, { ...turn, feedback }) }
}

/** Replaces the turn or puts it in its place. Looks from the end: nearly every event is about the newest turns. */
function withTurn(turns: readonly TurnProjection[], turn: TurnProjection): readonly TurnProjection[] {
  const index = turns.findLastIndex((other) => other.turn_id === turn.turn_id || other.sequence < turn.sequence)
  const known = turns[index]
  if (known?.turn_id !== turn.turn_id) return turns.toSpliced(index + 1, 0, turn)
  // Runs know nothing of feedback: a turn that goes on after a pause is told without it.
  return turns.with(index, known.feedback && turn.feedback === undefined ? { ...turn, feedback: known.feedback } : turn)
}

/**
 * Merges turns read over REST: each replaces ours unless ours is newer, so a slow answer never takes a turn back. The
 * gap, if there was one, counts as closed.
 */
export function withRestTurns(state: Projection, turns: readonly TurnProjection[]): Projection {
  const merged = new Map(state.turns.map((turn) => [turn.turn_id, turn]))
  const news = turns.filter((turn) => {
    const known = merged.get(turn.turn_id)
    return !known || isAsNew(turn, known)
  })
  if (news.length === 0) return state.needsResync ? { ...state, needsResync: false } : state
  for (const turn of news) merged.set(turn.turn_id, turn)
  const ordered = [...merged.values()].sort((a, b) => a.sequence - b.sequence)
  // A slow answer may be from before the conversation took another path.
  const onPath = state.branch ? followPath(ordered, state.branch.path) : ordered
  return { ...state, turns: onPath, needsResync: false }
}

export function findTurn(state: Projection, turn_id: string): TurnProjection | undefined {
  return state.turns.findLast((turn) => turn.turn_id === turn_id)
}

/** Every question that waits for an answer, oldest first, those of sub-agents included. */
export function openQuestions(turns: readonly TurnProjection[]): PendingQuestion[] {
  return turns.flatMap(({ turn_id, loop_id, tool_calls }) =>
    tool_calls
      .filter((call) => call.status === 'awaiting_answer' && isSpecialTool(call.tool_name, 'AskUserQuestion'))
      .map((call) => ({ tool_call_id: call.id, turn_id, loop_id, arguments: parseArguments(call.arguments) })),
  )
}

/** A turn never streams again once it has ended; `turn:end` itself has no patch number that would say so. */
function isAsNew(turn: TurnProjection, known: TurnProjection): boolean {
  if (seen(turn) !== seen(known)) return seen(turn) > seen(known)
  return turn.status !== 'streaming' || known.status === 'streaming'
}

/** Servers without extensions send no `patch_sequence`. */
function seen(turn: TurnProjection): number {
  return turn.patch_sequence ?? 0
}
