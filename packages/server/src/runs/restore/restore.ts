import {
  emptyProjection,
  isEventName,
  reduce,
  ROOT_LOOP,
  type SessionEvent,
  type TurnProjection,
} from '@parley/protocol'
import type { ConfirmationRow } from '../../confirm/confirmations.ts'
import { consentOf } from '../../confirm/decision.ts'
import type { RunError } from '../../core/loop-events.ts'
import { agentIn } from '../../core/loop-arguments.ts'
import { type Call, type LoopState, newLoop } from '../../core/loop-state.ts'
import { userMessage } from '../../core/messages.ts'
import { AGENT, ASK } from '../../core/offer.ts'
import { equipment } from '../../core/run-agent.ts'
import type { AnswerPart, ModelMessage, Usage } from '../../ports.ts'
import type { StoredEvent } from '../../store/work.ts'
import { isTurn } from '../../store/read-turn.ts'
import { readStored } from '../../store/stored-json.ts'
import { callsOf, contextOf, ofLoop, partsIn, partsOf, type StoredTurn } from '../../context/stored-turns.ts'

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
  /** What people were asked to agree to, by the call. */
  confirmations: Map<string, ConfirmationRow>
  /** What has ended the run, but for the word that it is over. */
  refused: RunError | null
  /** Turns whose answer reached a limit of its length. */
  cut: Set<string>
  /** The loop that works for an `Agent` call, also when its first turn broke off. */
  loops: Map<string, string>
  /** Some of its events cannot be read. */
  isDamaged: boolean
}

type StoredAnswer = { parts: AnswerPart[]; usage: Usage | null; isCut?: true }

/** Reads what happened in a run from its journal, page by page, in order. */
export class RunReader {
  readonly #answers = new Map<string, StoredAnswer>()
  readonly #cut = new Set<string>()
  readonly #claims = new Map<string, number>()
  readonly #calls = new Map<string, number>()
  readonly #places = new Map<string, number>()
  #refused: RunError | null = null
  #isDamaged = false
  /** Messages that the main agent's last call was made without. */
  #unseen: string[] = []
  #projection = emptyProjection

  /** What cannot be read is left out, and noted: a run that may have done more than we know is not carried on. */
  add(event: StoredEvent): void {
    const { data } = event
    try {
      const payload = readStored(data) as Record<string, unknown> | undefined
      if (payload) this.#read(event, payload)
      else this.#isDamaged = true
    } catch {
      // Read, but not what it claims to be.
      this.#isDamaged = true
    }
  }

  #read({ type, turn_id, loop_id, session_id, event_seq }: StoredEvent, payload: Record<string, unknown>): void {
    this.#place(type, turn_id, loop_id, payload)
    if (type === 'run:model_call') this.#calls.set(loop_id!, (this.#calls.get(loop_id!) ?? 0) + 1)
    else if (type === 'run:answer') this.#answer(turn_id!, answerIn(payload))
    else if (type === 'run:refused') this.#refused = payload as RunError
    else if (type === 'run:tool_claim')
      this.#claims.set(payload['tool_call_id'] as string, payload['attempt'] as number)
    else if (isEventName(type) && !hasTurn(type, payload, turn_id)) this.#isDamaged = true
    else if (isEventName(type))
      this.#projection = reduce(this.#projection, {
        name: type,
        payload: { ...payload, session_id, event_seq },
      } as SessionEvent)
  }

  record(): RunRecord {
    const streaming = this.#projection.turns.filter(({ status }) => status === 'streaming')
    const open = streaming.filter(isTurn).map((turn): StoredTurn => {
      const { parts = null, usage = null } = this.#answers.get(turn.turn_id) ?? {}
      return { turn: { ...turn, usage }, parts }
    })
    const [claims, calls, places] = [this.#claims, this.#calls, this.#places]
    const [refused, cut] = [this.#refused, this.#cut]
    const isDamaged = this.#isDamaged || open.length < streaming.length
    return { open, claims, calls, places, confirmations: new Map(), refused, cut, loops: new Map(), isDamaged }
  }

  #answer(turn_id: string, answer: StoredAnswer): void {
    this.#answers.set(turn_id, answer)
    if (answer.isCut) this.#cut.add(turn_id)
  }

  /** A message that is on record after the main agent's call and before its answer was not part of that call. */
  #place(type: string, turn_id: string | null, loop_id: string | null, payload: Record<string, unknown>): void {
    if (loop_id !== ROOT_LOOP) return
    if (type === 'run:model_call') this.#unseen = []
    if (type !== 'turn:start') return
    const { role, sequence } = payload as TurnProjection
    if (role === 'user') this.#unseen.push(turn_id!)
    if (role === 'assistant') for (const added of this.#unseen.splice(0)) this.#places.set(added, sequence + 0.5)
  }
}

/** What is about a turn says which. */
function hasTurn(type: string, payload: Record<string, unknown>, turn_id: string | null): boolean {
  return !type.startsWith('turn:') || (turn_id !== null && payload['turn_id'] === turn_id)
}

function answerIn(payload: Record<string, unknown>): StoredAnswer {
  if (!partsIn(payload['parts'])) throw new Error('That is no answer.')
  return payload as StoredAnswer
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
      calls: callsOf(open).map((call) => restoreCall(call, open.turn, loop, all, record)),
      isEnded: open.turn.status !== 'streaming',
      isCut: record.cut.has(open.turn.turn_id),
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

function restoreCall(
  call: Call,
  turn: TurnProjection,
  loop: LoopState,
  all: readonly StoredTurn[],
  record: RunRecord,
): Call {
  if (call.state.type === 'settled') return call
  if (call.name === AGENT) return restoreAgent(call, loop, all, record)
  if (call.name === ASK && call.state.type === 'waiting') return call
  const attempt = record.claims.get(call.id)
  const asked = record.confirmations.get(call.id)
  const consent = asked?.status === 'approved' ? consentOf(asked) : null
  // As long as its question is open nothing is decided, whatever the row says: the answer is on its way.
  const question = turn.tool_calls.find(({ id }) => id === asked?.question_id)
  if (question?.status === 'awaiting_answer')
    return { ...call, state: { type: 'confirming', question_id: question.id } }
  if (attempt !== undefined) return { ...call, consent, state: { type: 'claimed', attempt } }
  return { ...call, consent, state: { type: 'announced' } }
}

function restoreAgent(call: Call, parent: LoopState, all: readonly StoredTurn[], record: RunRecord): Call {
  const loop_id = record.loops.get(call.id)
  const input = agentIn(call.arguments)
  if (loop_id === undefined || !input) return { ...call, state: { type: 'announced' } }
  const { description, prompt } = input
  const child = loopOf(
    {
      ...equipment(input, parent),
      loop_id,
      parent_fork_tool_call_id: call.id,
      description,
      depth: parent.depth + 1,
      messages: [userMessage(prompt)],
    },
    all,
    record,
  )
  // It names the question that was told, so that another one, now the oldest, is told as well.
  const isWaiting = call.state.type === 'waiting' && waitingRefs(child).length > 0
  return { ...call, child, state: isWaiting ? call.state : { type: 'announced' } }
}

/** Every question that waits in a loop or under it, oldest first. */
export function waitingRefs(
  loop: LoopState,
): { child_loop_name: string; child_tool_call_id: string; description: string | null }[] {
  return (loop.open?.calls ?? []).flatMap((call) => {
    if (call.child) return waitingRefs(call.child)
    const asking = (id: string) => [
      { child_loop_name: loop.loop_id, child_tool_call_id: id, description: loop.description || null },
    ]
    if (call.state.type === 'confirming') return asking(call.state.question_id)
    return call.state.type === 'waiting' && call.name === ASK ? asking(call.id) : []
  })
}
