import type { CompactionTrigger, PendingQuestionRef } from '@parley/protocol'
import type { Clock, Context, Ids, JsonValue, Model, ModelMessage, TextPace, Tools, ToolSpec } from '../ports.ts'
import type { LoopEvent, RunError } from './loop-events.ts'
import type { Consent, LoopState } from './loop-state.ts'

/** What a run gives its loops to work with. */
export type LoopEnv = {
  model: NamedModel
  /** Another model, for a sub-agent. */
  findModel: (id: string) => NamedModel | undefined
  context: Context
  tools: Tools
  clock: Clock
  ids: Ids
  pace?: TextPace
  /** Model calls per loop and run. */
  maxTurns: number
  /** At that limit the main agent is asked once more, without tools, for what it has found. */
  closes?: boolean
  /** The result of a call that a person's stop cut off; without it such a call has only its status. */
  interrupted?: string
  /** How deep sub-agents may fork. */
  maxDepth: number
  /** Calls of one answer that run side by side. */
  parallelCalls: number
  /** How long a person's consent holds, in milliseconds. */
  consentMs: number
  /** Now, by the clock that says when people decided: the store's, which may be far from ours. */
  decisionNow: () => number
  /** Nobody is there to answer or to agree. */
  headless: boolean
  /** Questions may be asked. */
  asks: boolean
  /** The main agent must end with a result that fits. */
  output: OutputContract | null
  /** Makes room in a conversation that has become too long; without it, such a conversation ends. */
  compaction?: Compaction
  inbox: Inbox
  /** Aborts on a person's stop, and when somebody else shall go on: `isLeaving` tells which. */
  signal: AbortSignal
  isLeaving: () => boolean
  /** Leaving in good order: what was cut off is put on record. A run that was lost puts nothing on record any more. */
  isShutdown: () => boolean
  /** Starting something new is over: finish what runs, then hand back. */
  isDraining: () => boolean
  /** Asked right before every side effect: is this run still ours? */
  mayAct: () => Promise<boolean>
  /** Texts that users see, in their language. */
  texts: LoopTexts
}

/** Whoever knows the turns behind a loop's messages. */
export interface Compaction {
  /** Whether the loop's next call, with these tools, is to be made in a shorter conversation. */
  isDue(loop: LoopState, tools: readonly ToolSpec[]): Promise<boolean>
  /**
   * Tells what happens, and returns the conversation as it is from then on; `undefined` when it stays as it was.
   * `refused`: the failure of the call that did not fit.
   */
  compact(
    loop: LoopState,
    trigger: CompactionTrigger,
    refused?: RunError,
  ): AsyncGenerator<LoopEvent, ModelMessage[] | undefined>
}

export type NamedModel = { id: string; model: Model }

/** A structured result: the tool that takes it, and its check. */
export type OutputContract = {
  spec: ToolSpec
  /** The value to hand out, or what is wrong with it. */
  check: (input: JsonValue) => Promise<CheckedResult>
}

export type CheckedResult = { ok: true; value: JsonValue } | { ok: false; errors: string[] }

/** What people add while the run is under way; stored and shown by whoever drives the run. */
export interface Inbox {
  /** Messages added since the last call, for the main agent. */
  takeMessages(): ModelMessage[]
  /** What was said to this question, if anything. */
  answerTo(question_id: string): Answered | undefined
  /** What became of a call that is done in the transaction of its result; `undefined`: a stop came first. */
  effectOf(tool_call_id: string): TakenEffect | undefined
  /** `true` once one of these questions is answered, `false` as soon as `giveUp` resolves. */
  answered(refs: readonly PendingQuestionRef[], giveUp: Promise<void>): Promise<boolean>
}

/** What was said to a question, as the call that waits for it takes it. */
export type Answered =
  | { type: 'answered'; result: JsonValue }
  | { type: 'agreed'; consent: Consent }
  | { type: 'refused'; reason: string }
  /** Nobody was asked: a stop came first. */
  | { type: 'unasked' }

export type TakenEffect = { status: 'done' | 'error'; result: JsonValue }

export type LoopTexts = {
  maxTurns: (count: number) => string
  /** An answer reached a limit of its length. */
  cut: string
  askDisplayName: string
  agentDisplayName: string
  submitDisplayName: string
}
