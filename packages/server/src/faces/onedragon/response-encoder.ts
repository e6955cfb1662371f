import { type ChatEndPayload, ROOT_LOOP, type SessionEvent, type TurnProjection } from '@parley/protocol'
import { readEvent } from '../../store/stored-event.ts'
import type { StoredEvent } from '../../store/work.ts'
import type { Language } from '../../words/language.ts'
import type { Block, Message } from './frame.ts'
import { callsIn } from './calls-in.ts'
import { interrupted, resultOf } from './result-text.ts'
import {
  type Call,
  newTurn,
  type OpenTurn,
  type Result,
  resultBlock,
  resultsOf,
  saidBy,
  type Style,
  withResult,
} from './turn-messages.ts'
import { waitingText, waits } from './waiting-text.ts'

/** What an event means to the reader. `ended`: the run is over; `null` when nobody knows how. */
export type Told =
  | { type: 'message_update'; message: Message }
  | { type: 'message_completed'; message: Message }
  | { type: 'ended'; end: ChatEndPayload | null }

export type EncoderOptions = Style & {
  run_id: string
  /** Signs the answers. */
  name: string
  timestamp: (at: number) => string
  language: Language
}

/**
 * Makes messages of a run's events, and of nothing else: the same events make the same messages, on every instance. A turn
 * of the main agent is one message, and one more for the results of its calls; sub-agents are not shown.
 *
 *   turn:start ─▶ text … ─▶ calls ─▶ completed ─▶ results … ─▶ completed ─▶ turn:end
 */
export class ResponseEncoder {
  readonly #options: EncoderOptions
  #turn: OpenTurn | null = null
  /** Calls of turns that ended waiting, and may go on if somebody decides at once: their turn. */
  readonly #waiting = new Map<string, Pick<Call, 'name'> & { turn_id: string }>()

  constructor(options: EncoderOptions) {
    this.#options = options
  }

  encode(stored: StoredEvent): Told[] {
    if (stored.run_id !== this.#options.run_id) return []
    if (stored.type === 'run:answer') return this.#answered(stored)
    const event = readEvent(stored)
    try {
      return event ? this.#heard(event, stored.at) : []
    } catch {
      // A damaged row is not what it claims to be. Nobody is shown it.
      return []
    }
  }

  /** Something was missed, or the session is gone: what is still to come would not be the whole answer. */
  lost(): Told[] {
    return [...this.finish(), { type: 'ended', end: null }]
  }

  /** Nothing more will come: what is open is as complete as it gets. */
  finish(): Told[] {
    const turn = this.#turn
    this.#turn = null
    if (!turn) return []
    return [...this.#say(turn), ...this.#settle(turn, (call) => call.result ?? interrupted(), turn.begunAt)]
  }

  #heard(event: SessionEvent, at: number): Told[] {
    switch (event.name) {
      case 'turn:start':
        return this.#begin(event.payload, at)
      case 'turn:patch':
        return this.#patched(event.payload, at)
      case 'turn:end':
        return this.#end(event.payload, at)
      case 'chat:end':
        return event.payload.run_id === this.#options.run_id ? this.#over(event.payload, at) : []
      default:
        return []
    }
  }

  #begin(turn: TurnProjection, at: number): Told[] {
    if (turn.loop_id !== ROOT_LOOP || turn.role !== 'assistant' || turn.turn_id === this.#turn?.turn_id) return []
    const before = this.finish()
    this.#turn = newTurn(turn.turn_id, Date.parse(turn.started_at ?? '') || at)
    return before
  }

  #patched({ turn_id, patch_type, data }: PatchPayload, at: number): Told[] {
    const turn = this.#turn
    if (turn?.turn_id !== turn_id) return patch_type === 'tool_result' ? this.#decided(data, at) : []
    switch (patch_type) {
      case 'add_content':
        return data.text_delta ? this.#spoken(turn, data.type, data.text_delta) : []
      case 'add_tool_call':
        return this.#called(turn, { id: data.id, name: data.tool_name, arguments: data.arguments, result: null })
      case 'tool_result':
        return this.#returned(turn, { id: data.tool_call_id, result: resultOf(data.status, data.result), at })
      case 'set_tool_status':
        if (data.status !== 'cancelled') return []
        return this.#returned(turn, { id: data.tool_call_id, result: interrupted(), at })
      default:
        return []
    }
  }

  #spoken(turn: OpenTurn, type: string, delta: string): Told[] {
    if (turn.isSaid || (type !== 'text' && type !== 'thinking')) return []
    const isThoughtFirst = turn.isThoughtFirst || (type === 'thinking' && turn.text === '')
    this.#turn = { ...turn, isThoughtFirst, [type]: turn[type] + delta }
    if (type === 'thinking' && !(this.#options.showThinking && isThoughtFirst)) return []
    return [{ type: 'message_update', message: this.#answerOf(this.#turn) }]
  }

  /** How many calls there will be, so that the message is complete with the last of them. */
  #answered(stored: StoredEvent): Told[] {
    const turn = this.#turn
    const expected = callsIn(stored)
    if (turn && stored.turn_id === turn.turn_id && expected > 0) this.#turn = { ...turn, expected }
    return []
  }

  /** What is added to a complete answer is the question that shows a confirmation: no call of the model's. */
  #called(turn: OpenTurn, call: Call): Told[] {
    if (turn.isSaid) return []
    this.#turn = { ...turn, calls: [...turn.calls, call] }
    return this.#turn.calls.length === turn.expected ? this.#say(this.#turn) : []
  }

  #returned(turn: OpenTurn, returned: { id: string; result: Result; at: number }): Told[] {
    if (!turn.calls.some((call) => call.id === returned.id && call.result === null)) return []
    const said = this.#say(turn)
    this.#turn = withResult({ ...turn, isSaid: true }, returned)
    if (this.#turn.calls.some((call) => call.result === null))
      return [...said, { type: 'message_update', message: this.#resultsOf(this.#turn) }]
    return [...said, { type: 'message_completed', message: this.#resultsOf(this.#turn) }]
  }

  /** A call that waited, of a turn that had ended: its result is a message of its own. */
  #decided(data: { tool_call_id: string; status: string; result: unknown }, at: number): Told[] {
    const call = this.#waiting.get(data.tool_call_id)
    if (!call) return []
    this.#waiting.delete(data.tool_call_id)
    const { turn_id, name } = call
    const block = resultBlock({ id: data.tool_call_id, name }, resultOf(data.status, data.result))
    const message = this.#message(`${turn_id}_${data.tool_call_id}`, { role: 'system', content: [block], at })
    return [{ type: 'message_completed', message }]
  }

  #end(ended: TurnProjection, at: number): Told[] {
    const turn = this.#turn
    if (turn?.turn_id !== ended.turn_id) return ended.loop_id === ROOT_LOOP ? this.#remark(ended, at) : []
    this.#turn = null
    const { turn_id } = ended
    const isWaiting = ({ id }: Call) =>
      ended.tool_calls.some((call) => call.id === id && call.status === 'awaiting_answer')
    for (const call of turn.calls) if (isWaiting(call)) this.#waiting.set(call.id, { turn_id, name: call.name })
    const said = this.#say(turn)
    const outcome = (call: Call) => call.result ?? (isWaiting(call) ? waits(this.#options.language) : interrupted())
    return [...said, ...this.#settle(turn, outcome, at)]
  }

  /** Something that the server says in the conversation, such as that an answer was too long. */
  #remark({ turn_id, role, blocks, started_at }: TurnProjection, at: number): Told[] {
    if (role !== 'system') return []
    const text = blocks.flatMap((block) => (block.type === 'system_notification' ? [block.content] : [])).join('\n')
    if (text === '') return []
    const content: Block[] = [{ type: 'text', text }]
    const message = this.#message(turn_id, { role: 'assistant', content, at: Date.parse(started_at ?? '') || at })
    return [{ type: 'message_completed', message }]
  }

  #over(end: ChatEndPayload, at: number): Told[] {
    const rest = this.finish()
    const text = waitingText(end, this.#options)
    if (text === null) return [...rest, { type: 'ended', end }]
    const message = this.#message(`${end.run_id}_waits`, { role: 'assistant', content: [{ type: 'text', text }], at })
    return [...rest, { type: 'message_completed', message }, { type: 'ended', end }]
  }

  /** The turn's own message, once. An answer without a word and a call is none. */
  #say(turn: OpenTurn): Told[] {
    if (this.#turn) this.#turn = { ...turn, isSaid: true }
    if (turn.isSaid || saidBy(turn, this.#options).length === 0) return []
    return [{ type: 'message_completed', message: this.#answerOf(turn) }]
  }

  /** The message of the results, unless it is complete. */
  #settle(turn: OpenTurn, outcome: (call: Call) => Result, at: number): Told[] {
    if (turn.calls.every((call) => call.result !== null)) return []
    const calls = turn.calls.map((call) => ({ ...call, result: outcome(call) }))
    return [
      { type: 'message_completed', message: this.#resultsOf({ ...turn, calls, resultsAt: turn.resultsAt ?? at }) },
    ]
  }

  #answerOf(turn: OpenTurn): Message {
    const content = saidBy(turn, this.#options)
    return this.#message(turn.turn_id, { role: 'assistant', content, at: turn.begunAt })
  }

  #resultsOf(turn: OpenTurn): Message {
    const at = turn.resultsAt ?? turn.begunAt
    return this.#message(`${turn.turn_id}_results`, { role: 'system', content: resultsOf(turn), at })
  }

  #message(id: string, { role, content, at }: Pick<Message, 'role' | 'content'> & { at: number }): Message {
    const name = role === 'assistant' ? this.#options.name : 'system'
    return { id, name, role, content, metadata: null, timestamp: this.#options.timestamp(at) }
  }
}

type PatchPayload = (SessionEvent & { name: 'turn:patch' })['payload']
