import type { PendingQuestionRef } from '@parley/protocol'
import type { AnswerPart, JsonValue, ModelMessage } from '../ports.ts'

/**
 * Where a loop stands. It is plain data, changed by the loop alone, and it can be rebuilt from the journal:
 * a recovered run and a resumed one are the same loop started from such a state.
 */
export type LoopState = {
  loop_id: string
  /** The `Agent` call this loop works for; `null` for the main agent. */
  parent_fork_tool_call_id: string | null
  /** What a sub-agent was asked to do, in one line. */
  description: string
  depth: number
  /** The tools a sub-agent may use; `null`: all that the run has. */
  tools: readonly string[] | null
  /** The model a sub-agent was given; `null`: the run's. */
  model: string | null
  /** The conversation up to, and without, the open turn. */
  messages: ModelMessage[]
  /** The turn whose answer is complete and whose calls are not all settled. */
  open: OpenTurn | null
  /** Model calls on record so far in this run. */
  used: number
  /** Sub-agents that it has asked for in this run, but for those of the open turn. */
  agents: number
  /** The next call is one of them: it went on record with the message that caused it. */
  isIntended: boolean
  /** Tries at a structured result that did not fit. */
  misfits: number
  /** What the provider said the first so many messages are, with everything before them; `null` until it has said so. */
  measured: { tokens: number; messages: number } | null
  /** The last failed call, and how often in a row it failed the same way. */
  failing: { call: string; times: number } | null
}

export type OpenTurn = {
  turn_id: string
  parts: AnswerPart[]
  calls: Call[]
  /** Its `turn:end` has been sent (it paused): from here on only patches. */
  isEnded: boolean
  /** Its answer reached a limit of its length. */
  isCut: boolean
}

export type Call = {
  id: string
  /** The provider's name for it, which goes back with the result. */
  provider_id: string
  name: string
  arguments: string
  state: CallState
  /** A person's consent to this call, once given. */
  consent: Consent | null
  /** The sub-agent's loop, of an `Agent` call that has begun. */
  child: LoopState | null
}

/** What a person agreed to: these arguments, then. */
export type Consent = {
  /** As the person left them; others than the model's when they were changed. */
  arguments: string
  /** Stands for the tool and the arguments. */
  digest: string
  /** When, in milliseconds since 1970. Consent grows old. */
  decided_at: number
}

export type CallState =
  | { type: 'announced' }
  /** Begun; with no result after a restart, nobody knows what it did. */
  | { type: 'claimed'; attempt: number }
  /** Waits for a person. `refs` names the questions it waits for, its own or those of its sub-agents. */
  | { type: 'waiting'; refs: PendingQuestionRef[] }
  /** Waits for a person's consent, which this question asks for. */
  | { type: 'confirming'; question_id: string }
  | { type: 'settled'; status: 'done' | 'error' | 'cancelled'; result: JsonValue }

export function newLoop(
  loop: Pick<LoopState, 'loop_id' | 'parent_fork_tool_call_id' | 'description' | 'depth' | 'messages'> &
    Partial<Pick<LoopState, 'tools' | 'model'>>,
): LoopState {
  const start = { open: null, used: 0, agents: 0, isIntended: false, misfits: 0, measured: null, failing: null }
  return { tools: null, model: null, ...loop, ...start }
}

/** The call with this id, in this loop or in the sub-agents under its open turn. */
export function findCall(loop: LoopState, id: string): Call | undefined {
  for (const call of loop.open?.calls ?? []) {
    const found = call.id === id ? call : call.child && findCall(call.child, id)
    if (found) return found
  }
  return undefined
}

/** Who asks, as questions tell it; the main agent needs no name. */
export function sourceOf({
  depth,
  loop_id,
  description,
}: LoopState): { loop_name: string; description: string } | null {
  return depth === 0 ? null : { loop_name: loop_id, description }
}
