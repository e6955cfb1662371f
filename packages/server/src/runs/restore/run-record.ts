import { emptyProjection, isEventName, reduce, ROOT_LOOP, type TurnProjection } from '@parley/protocol'
import type { ConfirmationRow } from '../../confirm/confirmations.ts'
import { partsIn, type StoredTurn } from '../../context/stored-turns.ts'
import { AGENT } from '../../core/offer.ts'
import type { RunError } from '../../core/loop-events.ts'
import type { AnswerPart, Usage } from '../../ports.ts'
import { isTurn } from '../../store/read-turn.ts'
import { eventOf } from '../../store/stored-event.ts'
import { readStored } from '../../store/stored-json.ts'
import type { StoredEvent } from '../../store/work.ts'

/** What a run's events tell beyond the turns themselves. */
export type RunRecord = {
  /** Turns with no row yet, as far as they got. */
  open: StoredTurn[]
  /** How often each call was begun. */
  claims: Map<string, number>
  /** Model calls per loop. */
  calls: Map<string, number>
  /** Sub-agents that were asked for: in which turn of which loop. */
  agents: { loop_id: string; turn_id: string }[]
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
  readonly #agents: RunRecord['agents'] = []
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

  #read(event: StoredEvent, payload: Record<string, unknown>): void {
    const { type, turn_id, loop_id } = event
    if (loop_id === ROOT_LOOP) this.#place(type, turn_id, payload)
    if (type === 'run:model_call') this.#calls.set(loop_id!, (this.#calls.get(loop_id!) ?? 0) + 1)
    else if (type === 'run:answer') this.#answer({ turn_id: turn_id!, loop_id: loop_id! }, answerIn(payload))
    else if (type === 'run:refused') this.#refused = payload as RunError
    else if (type === 'run:tool_claim')
      this.#claims.set(payload['tool_call_id'] as string, payload['attempt'] as number)
    else if (isEventName(type) && !hasTurn(type, payload, turn_id)) this.#isDamaged = true
    else if (isEventName(type)) this.#projection = reduce(this.#projection, eventOf(event, payload))
  }

  record(): RunRecord {
    const streaming = this.#projection.turns.filter(({ status }) => status === 'streaming')
    const open = streaming.filter(isTurn).map((turn): StoredTurn => {
      const { parts = null, usage = null } = this.#answers.get(turn.turn_id) ?? {}
      return { turn: { ...turn, usage }, parts }
    })
    const [claims, calls, agents, places] = [this.#claims, this.#calls, this.#agents, this.#places]
    const [refused, cut] = [this.#refused, this.#cut]
    const isDamaged = this.#isDamaged || open.length < streaming.length
    return { open, claims, calls, agents, places, confirmations: new Map(), refused, cut, loops: new Map(), isDamaged }
  }

  #answer(place: RunRecord['agents'][number], answer: StoredAnswer): void {
    const { turn_id } = place
    this.#answers.set(turn_id, answer)
    for (const part of answer.parts) if (part.type === 'tool_call' && part.name === AGENT) this.#agents.push(place)
    if (answer.isCut) this.#cut.add(turn_id)
  }

  /** A message that is on record after the main agent's call and before its answer was not part of that call. */
  #place(type: string, turn_id: string | null, payload: Record<string, unknown>): void {
    if (type === 'run:model_call') this.#unseen = []
    if (type !== 'turn:start') return
    const { role, sequence, imported } = payload as TurnProjection
    if (imported) return
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
