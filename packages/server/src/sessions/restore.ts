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
import type { AnswerPart, ModelMessage, Usage } from '../ports.ts'
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
  /** Messages added while the model was being asked: their place is after the answer that came without them. */
  places: Map<string, number>
  /** The loop that works for an `Agent` call, also when its first turn broke off. */
  loops: Map<string, string>
}

/** Reads what happened in a run from its journal. */
export function readRun(events: readonly StoredEvent[]): RunRecord {
  const answers = new Map<string, { parts: AnswerPart[]; usage: Usage | null }>()
  const claims = new Map<string, number>()
  const calls = new Map<string, number>()
  let projection = emptyProjection
  for (const { type, data, turn_id, loop_id, session_id, event_seq } of events) {
    const payload = JSON.parse(data) as Record<string, unknown>
    if (type === 'run:model_call') calls.set(loop_id!, (calls.get(loop_id!) ?? 0) + 1)
    else if (type === 'run:answer') answers.set(turn_id!, payload as { parts: AnswerPart[]; usage: Usage | null })
    else if (type === 'run:tool_claim') claims.set(payload['tool_call_id'] as string, payload['attempt'] as number)
    else if (isEventName(type))
      projection = reduce(projection, { name: type, payload: { ...payload, session_id, event_seq } } as SessionEvent)
  }
  const open = projection.turns
    .filter(({ status }) => status === 'streaming')
    .map((turn): StoredTurn => {
      const { parts = null, usage = null } = answers.get(turn.turn_id) ?? {}
      return { turn: { ...turn, usage }, parts }
    })
  return { open, claims, calls, places: placesOf(events), loops: new Map() }
}

/** A message that is on record after the main agent's call and before its answer was not part of that call. */
function placesOf(events: readonly StoredEvent[]): Map<string, number> {
  const places = new Map<string, number>()
  let unseen: string[] = []
  for (const { type, data, turn_id, loop_id } of events) {
    if (loop_id !== ROOT_LOOP) continue
    if (type === 'run:model_call') unseen = []
    if (type !== 'turn:start') continue
    const { role, sequence } = JSON.parse(data) as TurnProjection
    if (role === 'user') unseen.push(turn_id!)
    if (role === 'assistant') for (const added of unseen.splice(0)) places.set(added, sequence + 0.5)
  }
  return places
}

/** Turns that broke off before their answer was complete: they end here, and the model is asked again. */
export function brokenTurns({ open }: RunRecord): TurnProjection[] {
  return open.filter(({ parts }) => parts === null).map(({ turn }) => turn)
}

/**
 * The loop of the main agent as it stood, with the loops of the sub-agents under its open turn, and what people have added
 * since that turn began. `turns` are the finished and paused ones, oldest first; `record` adds what is still open.
 */
export function restoreLoop(
  turns: readonly StoredTurn[],
  record: RunRecord,
): { loop: LoopState; added: ModelMessage[] } {
  for (const { turn } of [...turns, ...record.open])
    if (turn.parent_fork_tool_call_id !== null) record.loops.set(turn.parent_fork_tool_call_id, turn.loop_id)
  const open = record.open.filter(({ parts }) => parts !== null)
  const placeOf = ({ turn }: StoredTurn) => record.places.get(turn.turn_id) ?? turn.sequence
  const all = [...turns, ...open].sort((a, b) => placeOf(a) - placeOf(b))
  const base = { loop_id: ROOT_LOOP, parent_fork_tool_call_id: null, description: '', depth: 0, messages: [] }
  const loop = loopOf(base, all, record)
  return { loop, added: loop.open ? contextOf(lastTurn(ofLoop(all, ROOT_LOOP)).after) : [] }
}

function loopOf(base: Parameters<typeof newLoop>[0], all: readonly StoredTurn[], record: RunRecord): LoopState {
  const mine = ofLoop(all, base.loop_id)
  const { before, last, after } = lastTurn(mine)
  const open = last && isOpen(last.turn, after) ? last : undefined
  const loop = newLoop({ ...base, messages: [...base.messages, ...contextOf(open ? before : mine)] })
  loop.used = record.calls.get(base.loop_id) ?? 0
  if (open)
    loop.open = {
      turn_id: open.turn.turn_id,
      parts: partsOf(open),
      calls: callsOf(open).map((call) => restoreCall(call, base.depth, all, record)),
      isEnded: open.turn.status !== 'streaming',
    }
  return loop
}

/** The model's last turn of a loop, and what lies around it. */
function lastTurn(mine: readonly StoredTurn[]): { before: StoredTurn[]; last?: StoredTurn; after: StoredTurn[] } {
  const at = mine.findLastIndex(({ turn }) => turn.role === 'assistant')
  return { before: mine.slice(0, Math.max(0, at)), ...(mine[at] && { last: mine[at] }), after: mine.slice(at + 1) }
}

/** A completed turn that nothing followed is gone through once more: what its end means for the run was never stored. */
function isOpen({ status }: TurnProjection, after: readonly StoredTurn[]): boolean {
  return status === 'streaming' || status === 'paused' || (status === 'completed' && contextOf(after).length === 0)
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
