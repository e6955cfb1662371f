import {
  emptyProjection,
  isEventName,
  reduce,
  ROOT_LOOP,
  type SessionEvent,
  type TurnProjection,
} from '@parley/protocol'
import { type Call, type LoopState, newLoop } from '../core/loop-state.ts'
import { userMessage } from '../core/messages.ts'
import { AGENT, ASK } from '../core/offer.ts'
import { agentInput } from '../core/run-agent.ts'
import type { AnswerPart } from '../ports.ts'
import type { StoredEvent } from '../store/work.ts'
import { callsOf, contextOf, ofLoop, partsOf, type StoredTurn } from './context.ts'

/** What a run's events tell beyond the turns themselves. */
export type RunRecord = {
  /** Turns with no row yet, as far as they got. */
  open: StoredTurn[]
  /** How often each call was begun. */
  claims: Map<string, number>
  /** Model calls per loop. */
  calls: Map<string, number>
  /** The loop that works for an `Agent` call, also when its first turn broke off. */
  loops: Map<string, string>
}

/** Reads what happened in a run from its journal. */
export function readRun(events: readonly StoredEvent[]): RunRecord {
  const answers = new Map<string, AnswerPart[]>()
  const claims = new Map<string, number>()
  const calls = new Map<string, number>()
  let projection = emptyProjection
  for (const { type, data, turn_id, loop_id, session_id, event_seq } of events) {
    const payload = JSON.parse(data) as Record<string, unknown>
    if (type === 'run:model_call') calls.set(loop_id!, (calls.get(loop_id!) ?? 0) + 1)
    else if (type === 'run:answer') answers.set(turn_id!, payload['parts'] as AnswerPart[])
    else if (type === 'run:tool_claim') claims.set(payload['tool_call_id'] as string, payload['attempt'] as number)
    else if (isEventName(type))
      projection = reduce(projection, { name: type, payload: { ...payload, session_id, event_seq } } as SessionEvent)
  }
  const open = projection.turns
    .filter(({ status }) => status === 'streaming')
    .map((turn): StoredTurn => ({ turn, parts: answers.get(turn.turn_id) ?? null }))
  return { open, claims, calls, loops: new Map() }
}

/** Turns that broke off before their answer was complete: they end here, and the model is asked again. */
export function brokenTurns({ open }: RunRecord): TurnProjection[] {
  return open.filter(({ parts }) => parts === null).map(({ turn }) => turn)
}

/**
 * The loop of the main agent as it stood, with the loops of the sub-agents under its open turn. `turns` are the finished
 * and paused ones, oldest first; `record` adds what is still open.
 */
export function restoreLoop(turns: readonly StoredTurn[], record: RunRecord): LoopState {
  for (const { turn } of [...turns, ...record.open])
    if (turn.parent_fork_tool_call_id !== null) record.loops.set(turn.parent_fork_tool_call_id, turn.loop_id)
  const open = record.open.filter(({ parts }) => parts !== null)
  const all = [...turns, ...open].sort((a, b) => a.turn.sequence - b.turn.sequence)
  return loopOf(
    { loop_id: ROOT_LOOP, parent_fork_tool_call_id: null, description: '', depth: 0, messages: [] },
    all,
    record,
  )
}

function loopOf(base: Parameters<typeof newLoop>[0], all: readonly StoredTurn[], record: RunRecord): LoopState {
  const mine = ofLoop(all, base.loop_id)
  const last = mine.findLast(({ turn }) => turn.role === 'assistant')
  const isOpen = last !== undefined && (last.turn.status === 'streaming' || last.turn.status === 'paused')
  const before = isOpen ? mine.filter((stored) => stored !== last && stored.turn.sequence < last.turn.sequence) : mine
  const loop = newLoop({ ...base, messages: [...base.messages, ...contextOf(before)] })
  loop.used = record.calls.get(base.loop_id) ?? 0
  if (isOpen)
    loop.open = {
      turn_id: last.turn.turn_id,
      parts: partsOf(last),
      calls: callsOf(last).map((call) => restoreCall(call, base.depth, all, record)),
      isEnded: last.turn.status === 'paused',
    }
  return loop
}

function restoreCall(call: Call, depth: number, all: readonly StoredTurn[], record: RunRecord): Call {
  if (call.state.type === 'settled') return call
  if (call.name === AGENT) return restoreAgent(call, depth, all, record)
  const attempt = record.claims.get(call.id)
  if (call.state.type === 'announced' && attempt !== undefined) return { ...call, state: { type: 'claimed', attempt } }
  return call
}

function restoreAgent(call: Call, depth: number, all: readonly StoredTurn[], record: RunRecord): Call {
  const loop_id = record.loops.get(call.id)
  const input = agentInput(call.arguments)
  if (loop_id === undefined || !input) return { ...call, state: { type: 'announced' } }
  const { description, prompt } = input
  const child = loopOf(
    { loop_id, parent_fork_tool_call_id: call.id, description, depth: depth + 1, messages: [userMessage(prompt)] },
    all,
    record,
  )
  const refs = waitingRefs(child)
  const isWaiting = call.state.type === 'waiting' && refs.length > 0
  return { ...call, child, state: isWaiting ? { type: 'waiting', refs } : { type: 'announced' } }
}

/** Every question that waits in a loop or under it, oldest first. */
export function waitingRefs(
  loop: LoopState,
): { child_loop_name: string; child_tool_call_id: string; description: string | null }[] {
  return (loop.open?.calls ?? []).flatMap((call) => {
    if (call.child) return waitingRefs(call.child)
    if (call.state.type !== 'waiting' || call.name !== ASK) return []
    return [{ child_loop_name: loop.loop_id, child_tool_call_id: call.id, description: loop.description || null }]
  })
}
